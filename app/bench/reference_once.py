"""One question to transformers' pipeline in a process of its own: `reference_once.py MODEL QUESTION CONTEXT`."""

import sys

import torch
from transformers import pipeline

# In float32, as reference.py reads on the CPU; by default 4.57.6 takes the file's dtype.
once = pipeline("question-answering", model=sys.argv[1], device="cpu", torch_dtype=torch.float32)
print(once(question=sys.argv[2], context=sys.argv[3])["answer"], flush=True)
