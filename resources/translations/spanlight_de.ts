<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en">
<context>
    <name></name>
    <message>
        <source>Monday</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tuesday</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wednesday</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thursday</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Friday</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saturday</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sunday</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>January</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>February</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>March</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>April</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>May</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>June</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>July</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>August</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>September</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>October</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>November</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>December</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>today</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Today</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>yesterday</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{weekday}, {day} {month}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{weekday}, {day} {month} {year}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{day} {month} {year}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{date}, {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>questions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>texts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sentences</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exact</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Questions answered with exactly the known words, or rightly not answered.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>exact match, EM (SQuAD 2.0)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>F1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How far the words given are those of the known answer; a question rightly not answered counts in full.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>F1 over tokens (SQuAD 2.0)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>F1 of the best place</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>F1 of the best place found, over the questions that have an answer, given or not.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>F1 with a forced answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rightly unanswered</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of the questions that the text does not answer, those left unanswered.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no-answer accuracy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Right</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Texts given their known class.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>accuracy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>F1 of the classes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For each class, how many of its texts were found and how many wrongly put there; the mean over all classes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>macro F1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of those found</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of the names found, those that are right.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>precision</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of those there</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of the names there, those that were found.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>recall</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Calibration error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How far its probabilities lie from how often it is right; less is better.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>expected calibration error, ECE, ten bins (Guo et al. 2017)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How many names were found with their exact place and kind, and how many found wrongly.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>entity F1 (CoNLL 2003)</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n:,} question</source>
        <comment>{n:,} questions</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} text</source>
        <comment>{n:,} texts</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} sentence</source>
        <comment>{n:,} sentences</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} example</source>
        <comment>{n:,} examples</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>examples for this</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{speed:,.0f} a second</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{speed:.1f} a second</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{number}%</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Both got {right:,} of {total} right, the very same ones.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Both got {right:,} of {total} right, not all the same ones.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{one} got {first:,} of {total} right, {other} {second:,}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{facts} That is hardly chance: two equally good models would differ so much {rarity}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{facts} That may be chance: two equally good models would differ so much {rarity}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{model} (first)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{model} (second)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>less than once in a thousand such tests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about {times} times in a thousand such tests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about {times} times in a hundred such tests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>files indexed anew</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The text does not say.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No answer in the part that was read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>These are the nearest words, and may not be the answer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Very likely</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Likely</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Possibly</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unlikely</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Very unlikely</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{likelihood}, {percent}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Best of several, {percent}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Low confidence, {percent}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{text} sure that the text answers, {words} that these words do</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{percent} sure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The answer was not kept. {reason}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{how} before the end</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{how} at the start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{how} after {percent} of the reading</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{how} after {percent} of the best passages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{how} after {percent} of the text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only the best passages were read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only the best passages were read, {percent} of the text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>page {number:,}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>page {label} ({number:,} in the file)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>line {line:,}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&lt; 1%</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&gt; 99%</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&lt; 1 in a billion</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 in {number:,}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>less than 0.1 seconds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{number:.1f} seconds</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} second</source>
        <comment>{n} seconds</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} minute</source>
        <comment>{n} minutes</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} hour</source>
        <comment>{n:,} hours</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>{hours} {minutes}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a few seconds left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about {time} left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about a minute left</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} byte</source>
        <comment>{n} bytes</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>{number:.1f} {unit}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{number:.0f} {unit}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} holds {held}, not {wanted}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{examples} a second</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask in the terminal instead: {command} ask FILE --question &quot;...&quot;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The screen cannot be reached to open a window on ({names}).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing names one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No window can be opened here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No window can be opened here: {reason}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Something went wrong inside Spanlight.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What you typed is kept. The report can be copied.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Put this message away</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Put away</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the path</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the report</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copied</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Key {key}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look inside</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>See how the model came to this  (Ctrl+I)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{model} reads {set}: {done:,} of {all}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
