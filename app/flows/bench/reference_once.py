"""One question to transformers' pipeline in a process of its own: `reference_once.py MODEL QUESTION CONTEXT`."""

import sys

from transformers import pipeline

answer = pipeline("question-answering", model=sys.argv[1])(question=sys.argv[2], context=sys.argv[3])
print(answer["answer"], flush=True)
