<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en">
<context>
    <name></name>
    <message>
        <source>Monday</source>
        <translation>Montag</translation>
    </message>
    <message>
        <source>Tuesday</source>
        <translation>Dienstag</translation>
    </message>
    <message>
        <source>Wednesday</source>
        <translation>Mittwoch</translation>
    </message>
    <message>
        <source>Thursday</source>
        <translation>Donnerstag</translation>
    </message>
    <message>
        <source>Friday</source>
        <translation>Freitag</translation>
    </message>
    <message>
        <source>Saturday</source>
        <translation>Samstag</translation>
    </message>
    <message>
        <source>Sunday</source>
        <translation>Sonntag</translation>
    </message>
    <message>
        <source>January</source>
        <translation>Januar</translation>
    </message>
    <message>
        <source>February</source>
        <translation>Februar</translation>
    </message>
    <message>
        <source>March</source>
        <translation>März</translation>
    </message>
    <message>
        <source>April</source>
        <translation>April</translation>
    </message>
    <message>
        <source>May</source>
        <translation>Mai</translation>
    </message>
    <message>
        <source>June</source>
        <translation>Juni</translation>
    </message>
    <message>
        <source>July</source>
        <translation>Juli</translation>
    </message>
    <message>
        <source>August</source>
        <translation>August</translation>
    </message>
    <message>
        <source>September</source>
        <translation>September</translation>
    </message>
    <message>
        <source>October</source>
        <translation>Oktober</translation>
    </message>
    <message>
        <source>November</source>
        <translation>November</translation>
    </message>
    <message>
        <source>December</source>
        <translation>Dezember</translation>
    </message>
    <message>
        <source>today</source>
        <translation>heute</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>yesterday</source>
        <translation>gestern</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>Gestern</translation>
    </message>
    <message>
        <source>{weekday}, {day} {month}</source>
        <translation>{weekday}, {day}. {month}</translation>
    </message>
    <message>
        <source>{weekday}, {day} {month} {year}</source>
        <translation>{weekday}, {day}. {month} {year}</translation>
    </message>
    <message>
        <source>{day} {month} {year}</source>
        <translation>{day}. {month} {year}</translation>
    </message>
    <message>
        <source>{date}, {time}</source>
        <translation>{date}, {time}</translation>
    </message>
    <message>
        <source>questions</source>
        <translation>Fragen</translation>
    </message>
    <message>
        <source>texts</source>
        <translation>Texte</translation>
    </message>
    <message>
        <source>sentences</source>
        <translation>Sätze</translation>
    </message>
    <message>
        <source>Exact</source>
        <translation>Exakt</translation>
    </message>
    <message>
        <source>Questions answered with exactly the known words, or rightly not answered.</source>
        <translation>Fragen, die mit genau den bekannten Wörtern oder zu Recht nicht beantwortet wurden.</translation>
    </message>
    <message>
        <source>exact match, EM (SQuAD 2.0)</source>
        <translation>Exact Match, EM (SQuAD 2.0)</translation>
    </message>
    <message>
        <source>F1</source>
        <translation>F1</translation>
    </message>
    <message>
        <source>How far the words given are those of the known answer; a question rightly not answered counts in full.</source>
        <translation>Wie weit die gegebenen Wörter denen der bekannten Antwort entsprechen; eine zu Recht nicht beantwortete Frage zählt voll.</translation>
    </message>
    <message>
        <source>F1 over tokens (SQuAD 2.0)</source>
        <translation>F1 über Tokens (SQuAD 2.0)</translation>
    </message>
    <message>
        <source>F1 of the best place</source>
        <translation>F1 der besten Stelle</translation>
    </message>
    <message>
        <source>F1 of the best place found, over the questions that have an answer, given or not.</source>
        <translation>F1 der besten gefundenen Stelle über die Fragen, die eine Antwort haben, ob sie gegeben wurde oder nicht.</translation>
    </message>
    <message>
        <source>F1 with a forced answer</source>
        <translation>F1 mit erzwungener Antwort</translation>
    </message>
    <message>
        <source>Rightly unanswered</source>
        <translation>Zu Recht unbeantwortet</translation>
    </message>
    <message>
        <source>Of the questions that the text does not answer, those left unanswered.</source>
        <translation>Anteil der Fragen ohne Antwort im Text, die unbeantwortet blieben.</translation>
    </message>
    <message>
        <source>no-answer accuracy</source>
        <translation>No-Answer-Accuracy</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>Richtig</translation>
    </message>
    <message>
        <source>Texts given their known class.</source>
        <translation>Texte, die ihre bekannte Klasse erhielten.</translation>
    </message>
    <message>
        <source>accuracy</source>
        <translation>Accuracy</translation>
    </message>
    <message>
        <source>F1 of the classes</source>
        <translation>F1 der Klassen</translation>
    </message>
    <message>
        <source>For each class, how many of its texts were found and how many wrongly put there; the mean over all classes.</source>
        <translation>Für jede Klasse, wie viele ihrer Texte gefunden und wie viele ihr fälschlich zugeordnet wurden; das Mittel über alle Klassen.</translation>
    </message>
    <message>
        <source>macro F1</source>
        <translation>Makro-F1</translation>
    </message>
    <message>
        <source>Of those found</source>
        <translation>Von den gefundenen</translation>
    </message>
    <message>
        <source>Of the names found, those that are right.</source>
        <translation>Anteil der gefundenen Namen, die richtig sind.</translation>
    </message>
    <message>
        <source>precision</source>
        <translation>Precision</translation>
    </message>
    <message>
        <source>Of those there</source>
        <translation>Von den vorhandenen</translation>
    </message>
    <message>
        <source>Of the names there, those that were found.</source>
        <translation>Anteil der vorhandenen Namen, die gefunden wurden.</translation>
    </message>
    <message>
        <source>recall</source>
        <translation>Recall</translation>
    </message>
    <message>
        <source>Calibration error</source>
        <translation>Kalibrierungsfehler</translation>
    </message>
    <message>
        <source>How far its probabilities lie from how often it is right; less is better.</source>
        <translation>Wie weit die Wahrscheinlichkeiten davon abweichen, wie oft das Modell richtigliegt; weniger ist besser.</translation>
    </message>
    <message>
        <source>expected calibration error, ECE, ten bins (Guo et al. 2017)</source>
        <translation>erwarteter Kalibrierungsfehler, ECE, zehn Bins (Guo et al. 2017)</translation>
    </message>
    <message>
        <source>How many names were found with their exact place and kind, and how many found wrongly.</source>
        <translation>Wie viele Namen mit genauer Stelle und Art gefunden wurden und wie viele fälschlich.</translation>
    </message>
    <message>
        <source>entity F1 (CoNLL 2003)</source>
        <translation>Entitäten-F1 (CoNLL 2003)</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} question</source>
        <comment>{n:,} questions</comment>
        <translation>
            <numerusform>{n:,} Frage</numerusform>
            <numerusform>{n:,} Fragen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} text</source>
        <comment>{n:,} texts</comment>
        <translation>
            <numerusform>{n:,} Text</numerusform>
            <numerusform>{n:,} Texte</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} sentence</source>
        <comment>{n:,} sentences</comment>
        <translation>
            <numerusform>{n:,} Satz</numerusform>
            <numerusform>{n:,} Sätze</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} example</source>
        <comment>{n:,} examples</comment>
        <translation>
            <numerusform>{n:,} Beispiel</numerusform>
            <numerusform>{n:,} Beispiele</numerusform>
        </translation>
    </message>
    <message>
        <source>examples for this</source>
        <translation>Beispiele hierfür</translation>
    </message>
    <message>
        <source>{speed:,.0f} a second</source>
        <translation>{speed:,.0f} pro Sekunde</translation>
    </message>
    <message>
        <source>{speed:.1f} a second</source>
        <translation>{speed:.1f} pro Sekunde</translation>
    </message>
    <message>
        <source>{number}%</source>
        <translation>{number}&#xa0;%</translation>
    </message>
    <message>
        <source>Both got {right:,} of {total} right, the very same ones.</source>
        <translation>{total} insgesamt: Beide lagen {right:,}-mal richtig, bei genau denselben.</translation>
    </message>
    <message>
        <source>Both got {right:,} of {total} right, not all the same ones.</source>
        <translation>{total} insgesamt: Beide lagen {right:,}-mal richtig, aber nicht überall bei denselben.</translation>
    </message>
    <message>
        <source>{one} got {first:,} of {total} right, {other} {second:,}.</source>
        <translation>{total} insgesamt: {one} lag {first:,}-mal richtig, {other} {second:,}-mal.</translation>
    </message>
    <message>
        <source>{facts} That is hardly chance: two equally good models would differ so much {rarity}.</source>
        <translation>{facts} Das ist kaum Zufall: Zwei gleich gute Modelle lägen {rarity} so weit auseinander.</translation>
    </message>
    <message>
        <source>{facts} That may be chance: two equally good models would differ so much {rarity}.</source>
        <translation>{facts} Das kann Zufall sein: Zwei gleich gute Modelle lägen {rarity} so weit auseinander.</translation>
    </message>
    <message>
        <source>{model} (first)</source>
        <translation>{model} (erstes)</translation>
    </message>
    <message>
        <source>{model} (second)</source>
        <translation>{model} (zweites)</translation>
    </message>
    <message>
        <source>less than once in a thousand such tests</source>
        <translation>seltener als einmal in tausend solchen Tests</translation>
    </message>
    <message>
        <source>about {times} times in a thousand such tests</source>
        <translation>etwa {times}-mal in tausend solchen Tests</translation>
    </message>
    <message>
        <source>about {times} times in a hundred such tests</source>
        <translation>etwa {times}-mal in hundert solchen Tests</translation>
    </message>
    <message>
        <source>A text</source>
        <translation>Ein Text</translation>
    </message>
    <message>
        <source>files indexed anew</source>
        <translation>neu indexierte Dateien</translation>
    </message>
    <message>
        <source>The text does not say.</source>
        <translation>Der Text sagt es nicht.</translation>
    </message>
    <message>
        <source>No answer in the part that was read.</source>
        <translation>Keine Antwort im gelesenen Teil.</translation>
    </message>
    <message>
        <source>These are the nearest words, and may not be the answer.</source>
        <translation>Dies sind die nächstliegenden Wörter; sie sind vielleicht nicht die Antwort.</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Gestoppt</translation>
    </message>
    <message>
        <source>Very likely</source>
        <translation>Sehr wahrscheinlich</translation>
    </message>
    <message>
        <source>Likely</source>
        <translation>Wahrscheinlich</translation>
    </message>
    <message>
        <source>Possibly</source>
        <translation>Möglich</translation>
    </message>
    <message>
        <source>Unlikely</source>
        <translation>Unwahrscheinlich</translation>
    </message>
    <message>
        <source>Very unlikely</source>
        <translation>Sehr unwahrscheinlich</translation>
    </message>
    <message>
        <source>{likelihood}, {percent}</source>
        <translation>{likelihood}, {percent}</translation>
    </message>
    <message>
        <source>Best of several, {percent}</source>
        <translation>Beste von mehreren, {percent}</translation>
    </message>
    <message>
        <source>Low confidence, {percent}</source>
        <translation>Geringe Sicherheit, {percent}</translation>
    </message>
    <message>
        <source>{text} sure that the text answers, {words} that these words do</source>
        <translation>{text} sicher, dass der Text die Frage beantwortet, {words}, dass es diese Wörter sind</translation>
    </message>
    <message>
        <source>{percent} sure</source>
        <translation>{percent} sicher</translation>
    </message>
    <message>
        <source>The answer was not kept. {reason}</source>
        <translation>Die Antwort wurde nicht gespeichert. {reason}</translation>
    </message>
    <message>
        <source>{how} before the end</source>
        <translation>{how} vor dem Ende</translation>
    </message>
    <message>
        <source>{how} at the start</source>
        <translation>{how} am Anfang</translation>
    </message>
    <message>
        <source>{how} after {percent} of the reading</source>
        <translation>{how} nach {percent} des Lesevorgangs</translation>
    </message>
    <message>
        <source>{how} after {percent} of the best passages</source>
        <translation>{how} nach {percent} der besten Passagen</translation>
    </message>
    <message>
        <source>{how} after {percent} of the text</source>
        <translation>{how} nach {percent} des Textes</translation>
    </message>
    <message>
        <source>Only the best passages were read</source>
        <translation>Nur die besten Passagen wurden gelesen</translation>
    </message>
    <message>
        <source>Only the best passages were read, {percent} of the text</source>
        <translation>Nur die besten Passagen wurden gelesen, {percent} des Textes</translation>
    </message>
    <message>
        <source>page {number:,}</source>
        <translation>Seite {number:,}</translation>
    </message>
    <message>
        <source>page {label} ({number:,} in the file)</source>
        <translation>Seite {label} ({number:,} in der Datei)</translation>
    </message>
    <message>
        <source>line {line:,}</source>
        <translation>Zeile {line:,}</translation>
    </message>
    <message>
        <source>row {row:,}, column {column}</source>
        <translation>Zeile {row:,}, Spalte {column}</translation>
    </message>
    <message>
        <source>sheet {sheet}, cell {cell}</source>
        <translation>Blatt {sheet}, Zelle {cell}</translation>
    </message>
    <message>
        <source>&lt; 1%</source>
        <translation>&lt;&#xa0;1&#xa0;%</translation>
    </message>
    <message>
        <source>&gt; 99%</source>
        <translation>&gt;&#xa0;99&#xa0;%</translation>
    </message>
    <message>
        <source>{number:#.2g}%</source>
        <translation>{number:#.2g} %</translation>
    </message>
    <message>
        <source>&lt; 1 in a billion</source>
        <translation>&lt;&#xa0;1 von einer Milliarde</translation>
    </message>
    <message>
        <source>1 in {number:,}</source>
        <translation>1 von {number:,}</translation>
    </message>
    <message>
        <source>less than 0.1 seconds</source>
        <translation>weniger als 0,1 Sekunden</translation>
    </message>
    <message>
        <source>{number:.1f} seconds</source>
        <translation>{number:.1f} Sekunden</translation>
    </message>
    <message numerus="yes">
        <source>{n} second</source>
        <comment>{n} seconds</comment>
        <translation>
            <numerusform>{n} Sekunde</numerusform>
            <numerusform>{n} Sekunden</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} minute</source>
        <comment>{n} minutes</comment>
        <translation>
            <numerusform>{n} Minute</numerusform>
            <numerusform>{n} Minuten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} hour</source>
        <comment>{n:,} hours</comment>
        <translation>
            <numerusform>{n:,} Stunde</numerusform>
            <numerusform>{n:,} Stunden</numerusform>
        </translation>
    </message>
    <message>
        <source>{hours} {minutes}</source>
        <translation>{hours} {minutes}</translation>
    </message>
    <message>
        <source>a few seconds left</source>
        <translation>noch einige Sekunden</translation>
    </message>
    <message>
        <source>about {time} left</source>
        <translation>noch etwa {time}</translation>
    </message>
    <message>
        <source>about a minute left</source>
        <translation>noch etwa eine Minute</translation>
    </message>
    <message numerus="yes">
        <source>{n} byte</source>
        <comment>{n} bytes</comment>
        <translation>
            <numerusform>{n} Byte</numerusform>
            <numerusform>{n} Byte</numerusform>
        </translation>
    </message>
    <message>
        <source>{number:.1f} {unit}</source>
        <translation>{number:.1f} {unit}</translation>
    </message>
    <message>
        <source>{number:.0f} {unit}</source>
        <translation>{number:.0f} {unit}</translation>
    </message>
    <message>
        <source>Questions: .json (SQuAD) or .jsonl; tables: .csv or .tsv; tagged words: .conll or .jsonl.</source>
        <translation>Fragen: .json (SQuAD) oder .jsonl; Tabellen: .csv oder .tsv; Wörter mit Tags: .conll oder .jsonl.</translation>
    </message>
    <message>
        <source>A table of questions needs the columns “question”, “context” and “answer”, a table of texts “text” and “label”.</source>
        <translation>Eine Tabelle mit Fragen braucht die Spalten „question“, „context“ und „answer“, eine Tabelle mit Texten „text“ und „label“.</translation>
    </message>
    <message>
        <source>There is no example in {file}.</source>
        <translation>In {file} ist kein Beispiel.</translation>
    </message>
    <message>
        <source>{file} holds more than {n:,} examples.</source>
        <translation>{file} enthält mehr als {n:,} Beispiele.</translation>
    </message>
    <message>
        <source>A tenth of them measures as well.</source>
        <translation>Ein Zehntel davon genügt zum Messen.</translation>
    </message>
    <message>
        <source>{file} holds {held}, not {wanted}.</source>
        <translation>{file} enthält {held}, nicht {wanted}.</translation>
    </message>
    <message>
        <source>{file} is not a text file.</source>
        <translation>{file} ist keine Textdatei.</translation>
    </message>
    <message>
        <source>{file} is not a file of examples that Spanlight knows.</source>
        <translation>{file} ist keine Datei mit Beispielen, die Spanlight kennt.</translation>
    </message>
    <message>
        <source>The first row of {file} is not an example.</source>
        <translation>Die erste Zeile von {file} ist kein Beispiel.</translation>
    </message>
    <message>
        <source>Rows need &quot;context&quot;, &quot;question&quot; and &quot;answers&quot;, or &quot;text&quot; and &quot;label&quot;, or &quot;tokens&quot; and &quot;tags&quot;.</source>
        <translation>Zeilen brauchen &quot;context&quot;, &quot;question&quot; und &quot;answers&quot;, oder &quot;text&quot; und &quot;label&quot;, oder &quot;tokens&quot; und &quot;tags&quot;.</translation>
    </message>
    <message>
        <source>{file} has no columns with names.</source>
        <translation>{file} hat keine Spalten mit Namen.</translation>
    </message>
    <message>
        <source>{file} has the columns {names}.</source>
        <translation>{file} hat die Spalten {names}.</translation>
    </message>
    <message>
        <source>Take it out of the file.</source>
        <translation>Entfernen Sie die Zeile aus der Datei.</translation>
    </message>
    <message>
        <source>Row {number} of {file} has no context.</source>
        <translation>Zeile {number} von {file} hat keinen Kontext.</translation>
    </message>
    <message>
        <source>Row {number} of {file} has no question.</source>
        <translation>Zeile {number} von {file} hat keine Frage.</translation>
    </message>
    <message>
        <source>Row {number} of {file} has no text.</source>
        <translation>Zeile {number} von {file} hat keinen Text.</translation>
    </message>
    <message>
        <source>Row {number} of {file} has no label.</source>
        <translation>Zeile {number} von {file} hat kein Label.</translation>
    </message>
    <message>
        <source>Give it one, or take it out.</source>
        <translation>Ergänzen Sie die Zeile oder entfernen Sie sie.</translation>
    </message>
    <message>
        <source>Fits easily: takes {needed} of this computer&apos;s {memory} of memory.</source>
        <translation>Passt mühelos: belegt {needed} von {memory} Speicher dieses Computers.</translation>
    </message>
    <message>
        <source>Fits: takes {needed} of this computer&apos;s {memory} of memory.</source>
        <translation>Passt: belegt {needed} von {memory} Speicher dieses Computers.</translation>
    </message>
    <message>
        <source>Large for this computer: takes {needed} of its {memory}.</source>
        <translation>Groß für diesen Computer: belegt {needed} von {memory}.</translation>
    </message>
    <message>
        <source>Too large for this computer: takes {needed} of its {memory}.</source>
        <translation>Zu groß für diesen Computer: braucht {needed}, vorhanden sind {memory}.</translation>
    </message>
    <message>
        <source>{model}, F1 {f1} on SQuAD 2.0 as its authors report, {size}</source>
        <translation>{model}, F1 {f1} auf SQuAD 2.0 nach Angabe der Autoren, {size}</translation>
    </message>
    <message>
        <source>{model}, F1 {f1} on SQuAD 2.0 as its authors report, {size}, roughly {time} a page on this computer</source>
        <translation>{model}, F1 {f1} auf SQuAD 2.0 nach Angabe der Autoren, {size}, etwa {time} pro Seite auf diesem Computer</translation>
    </message>
    <message>
        <source>{fit} {pace}</source>
        <translation>{fit} {pace}</translation>
    </message>
    <message>
        <source>Measured here: {rate}.</source>
        <translation>Hier gemessen: {rate}.</translation>
    </message>
    <message>
        <source>Roughly {time} a page on this computer.</source>
        <translation>Etwa {time} pro Seite auf diesem Computer.</translation>
    </message>
    <message>
        <source>Roughly {rate}, going by {model} measured here.</source>
        <translation>Etwa {rate}, geschätzt nach der Messung von {model} hier.</translation>
    </message>
    <message>
        <source>{speed:.1f} {examples} a second</source>
        <translation>{speed:.1f} {examples} pro Sekunde</translation>
    </message>
    <message>
        <source>{examples} a second</source>
        <translation>{examples} pro Sekunde</translation>
    </message>
    <message>
        <source>Ask in the terminal instead: {command} ask FILE --question &quot;...&quot;</source>
        <translation>Fragen Sie stattdessen im Terminal: {command} ask DATEI --question &quot;...&quot;</translation>
    </message>
    <message>
        <source>The screen cannot be reached to open a window on ({names}).</source>
        <translation>Der Bildschirm für das Fenster ist nicht erreichbar ({names}).</translation>
    </message>
    <message>
        <source>nothing names one</source>
        <translation>keiner ist angegeben</translation>
    </message>
    <message>
        <source>No window can be opened here.</source>
        <translation>Hier kann kein Fenster geöffnet werden.</translation>
    </message>
    <message>
        <source>No window can be opened here: {reason}.</source>
        <translation>Hier kann kein Fenster geöffnet werden: {reason}.</translation>
    </message>
    <message>
        <source>Something went wrong inside Spanlight.</source>
        <translation>In Spanlight ist etwas schiefgegangen.</translation>
    </message>
    <message>
        <source>What you typed is kept. The report can be copied.</source>
        <translation>Was Sie eingegeben haben, bleibt erhalten. Der Bericht lässt sich kopieren.</translation>
    </message>
    <message>
        <source>Put this message away</source>
        <translation>Diese Meldung ausblenden</translation>
    </message>
    <message>
        <source>Previous place</source>
        <translation>Vorige Stelle</translation>
    </message>
    <message>
        <source>Previous place  (Shift+Enter, Shift+F3)</source>
        <translation>Vorige Stelle  (Umschalt+Enter, Umschalt+F3)</translation>
    </message>
    <message>
        <source>Next place</source>
        <translation>Nächste Stelle</translation>
    </message>
    <message>
        <source>Next place  (Enter, F3)</source>
        <translation>Nächste Stelle  (Enter, F3)</translation>
    </message>
    <message>
        <source>Put away</source>
        <translation>Ausblenden</translation>
    </message>
    <message>
        <source>Put away  (Esc)</source>
        <translation>Ausblenden  (Esc)</translation>
    </message>
    <message>
        <source>Copy the path</source>
        <translation>Pfad kopieren</translation>
    </message>
    <message>
        <source>Copy the report</source>
        <translation>Bericht kopieren</translation>
    </message>
    <message>
        <source>Copy it into a report of a fault. It names no text, question or answer; the log&apos;s last lines may name what went wrong, so look through it first. Nothing is sent by itself.</source>
        <translation>Zum Kopieren in einen Fehlerbericht. Die Diagnose nennt keinen Text, keine Frage und keine Antwort; die letzten Zeilen des Protokolls können aber nennen, womit etwas fehlschlug. Sehen Sie sie daher vorher durch. Von selbst wird nichts gesendet.</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>Kopiert</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Diagnostics</source>
        <translation>Diagnose</translation>
    </message>
    <message>
        <source>Copy the diagnostics</source>
        <translation>Diagnose kopieren</translation>
    </message>
    <message>
        <source>Being gathered…</source>
        <translation>Wird zusammengestellt…</translation>
    </message>
    <message>
        <source>The diagnostics were copied</source>
        <translation>Die Diagnose wurde kopiert</translation>
    </message>
    <message>
        <source>Key {key}</source>
        <translation>Taste {key}</translation>
    </message>
    <message>
        <source>See how the model came to its result: the words cut into tokens, the numbers that flow through its layers, and what each of its heads makes of them. Every number is computed on this computer while you look, from the model that is installed.</source>
        <translation>Sehen Sie, wie das Modell zu seinem Ergebnis kam: die in Tokens zerlegten Wörter, die Zahlen, die durch seine Schichten fließen, und was jeder seiner Köpfe daraus macht. Jede Zahl wird beim Ansehen auf diesem Computer berechnet, mit dem installierten Modell.</translation>
    </message>
    <message>
        <source>Or press Look inside beside any answer, class or word that Spanlight gave you.</source>
        <translation>Oder wählen Sie „Hineinsehen“ neben einer Antwort, einer Klasse oder einem Wort von Spanlight.</translation>
    </message>
    <message>
        <source>There is no model here yet. As soon as one is installed, examples stand here.</source>
        <translation>Es gibt hier noch kein Modell. Sobald eines installiert ist, stehen hier Beispiele.</translation>
    </message>
    <message>
        <source>Look inside the model</source>
        <translation>In das Modell hineinsehen</translation>
    </message>
    <message>
        <source>Model that is looked into</source>
        <translation>Modell, in das hineingesehen wird</translation>
    </message>
    <message>
        <source>Other examples</source>
        <translation>Andere Beispiele</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Look inside</source>
        <translation>Hineinsehen</translation>
    </message>
    <message>
        <source>Next section, section before</source>
        <translation>Nächster Abschnitt, voriger Abschnitt</translation>
    </message>
    <message>
        <source>Save the section&apos;s numbers</source>
        <translation>Die Zahlen des Abschnitts speichern</translation>
    </message>
    <message>
        <source>Copy a chart&apos;s numbers</source>
        <translation>Diagrammzahlen kopieren</translation>
    </message>
    <message>
        <source>See how the model came to this  (Ctrl+I)</source>
        <translation>Sehen, wie das Modell dazu kam  (Strg+I)</translation>
    </message>
    <message>
        <source>A model reads examples whose answers are known: how often it is right, how fast it is, and whether its probabilities can be trusted are kept here, so that two models can be compared. Take examples that are like your own texts where you have them; small sets come along to try.</source>
        <translation>Ein Modell liest Beispiele, deren Antworten bekannt sind: Wie oft es richtigliegt, wie schnell es ist und ob seinen Wahrscheinlichkeiten zu trauen ist, wird hier festgehalten, damit sich zwei Modelle vergleichen lassen. Nehmen Sie möglichst Beispiele, die Ihren eigenen Texten ähneln; kleine Sammlungen zum Ausprobieren sind dabei.</translation>
    </message>
    <message>
        <source>How good is a model?</source>
        <translation>Wie gut ist ein Modell?</translation>
    </message>
    <message>
        <source>No model that is installed can read {examples}.</source>
        <translation>Kein installiertes Modell kann {examples} lesen.</translation>
    </message>
    <message>
        <source>Get one under “Get more”.</source>
        <translation>Holen Sie eines unter „Weitere Modelle“.</translation>
    </message>
    <message>
        <source>Measure {model} on {examples}</source>
        <translation>{model} messen: {examples}</translation>
    </message>
    <message>
        <source>Getting {model} ready</source>
        <translation>{model} wird vorbereitet</translation>
    </message>
    <message>
        <source>the measuring of {model}</source>
        <translation>das Messen von {model}</translation>
    </message>
    <message>
        <source>{model} reads {set}: {done:,} of {all}</source>
        <translation>{model} liest {set}: {done:,} / {all}</translation>
    </message>
    <message>
        <source>{model} measured in {time}</source>
        <translation>{model} in {time} gemessen</translation>
    </message>
    <message>
        <source>Stopped, and nothing of it kept</source>
        <translation>Gestoppt; nichts davon wurde gespeichert</translation>
    </message>
    <message>
        <source>Examples ({endings});;All files (*)</source>
        <translation>Beispiele ({endings});;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Examples with known answers</source>
        <translation>Beispiele mit bekannten Antworten</translation>
    </message>
    <message>
        <source>A port is a number from 1 to 65535.</source>
        <translation>Ein Port ist eine Zahl von 1 bis 65535.</translation>
    </message>
    <message>
        <source>Without https, others on the way can see what is downloaded, and change it.</source>
        <translation>Ohne https können andere auf dem Weg mitlesen und verändern, was heruntergeladen wird.</translation>
    </message>
    <message>
        <source>Only proxies that speak http or https can be used, not {scheme}.</source>
        <translation>Nur Proxys, die http oder https sprechen, können verwendet werden, nicht {scheme}.</translation>
    </message>
    <message>
        <source>The password is kept readable in Spanlight&apos;s settings file.</source>
        <translation>Das Passwort steht lesbar in der Einstellungsdatei von Spanlight.</translation>
    </message>
    <message>
        <source>Without https, others on the way could change what is announced.</source>
        <translation>Ohne https könnten andere auf dem Weg verändern, was angekündigt wird.</translation>
    </message>
    <message>
        <source>An address holds no blanks.</source>
        <translation>Eine Adresse enthält keine Leerzeichen.</translation>
    </message>
    <message>
        <source>This is no address that can be used; it looks like {example}.</source>
        <translation>Diese Adresse kann nicht verwendet werden; so sieht eine gültige aus: {example}.</translation>
    </message>
    <message>
        <source>You said: right</source>
        <translation>Ihr Urteil: richtig</translation>
    </message>
    <message>
        <source>Yours: {words}</source>
        <translation>Ihre Wörter: {words}</translation>
    </message>
    <message>
        <source>You said: not in the text</source>
        <translation>Ihr Urteil: nicht im Text</translation>
    </message>
    <message>
        <source>a pipe</source>
        <translation>eine Pipe</translation>
    </message>
    <message>
        <source>a socket</source>
        <translation>ein Socket</translation>
    </message>
    <message>
        <source>a device</source>
        <translation>ein Gerät</translation>
    </message>
    <message>
        <source>the disk refused</source>
        <translation>der Datenträger hat den Zugriff verweigert</translation>
    </message>
    <message>
        <source>the disk is full</source>
        <translation>der Datenträger ist voll</translation>
    </message>
    <message>
        <source>“{name}” could not be written: the disk is full.</source>
        <translation>„{name}“ konnte nicht geschrieben werden: Der Datenträger ist voll.</translation>
    </message>
    <message>
        <source>Not everything could be written: the disk is full.</source>
        <translation>Nicht alles konnte geschrieben werden: Der Datenträger ist voll.</translation>
    </message>
    <message>
        <source>Free some space and try again.</source>
        <translation>Geben Sie Speicherplatz frei und versuchen Sie es erneut.</translation>
    </message>
    <message>
        <source>“{name}” could not be used: {reason}.</source>
        <translation>„{name}“ konnte nicht verwendet werden: {reason}.</translation>
    </message>
    <message>
        <source>Check the name and its permissions.</source>
        <translation>Prüfen Sie den Namen und die Zugriffsrechte.</translation>
    </message>
    <message>
        <source>There is no file “{path}”.</source>
        <translation>Es gibt keine Datei „{path}“.</translation>
    </message>
    <message>
        <source>Check the name and the folder.</source>
        <translation>Prüfen Sie den Namen und den Ordner.</translation>
    </message>
    <message>
        <source>“{name}” may not be read.</source>
        <translation>„{name}“ darf nicht gelesen werden.</translation>
    </message>
    <message>
        <source>Check the file&apos;s permissions.</source>
        <translation>Prüfen Sie die Zugriffsrechte der Datei.</translation>
    </message>
    <message>
        <source>its name or its disk is at fault</source>
        <translation>es liegt am Namen oder am Datenträger</translation>
    </message>
    <message>
        <source>it is a link that leads back to itself</source>
        <translation>es ist ein Link, der auf sich selbst zurückführt</translation>
    </message>
    <message>
        <source>“{name}” could not be read: {reason}.</source>
        <translation>„{name}“ konnte nicht gelesen werden: {reason}.</translation>
    </message>
    <message>
        <source>Copy it elsewhere and try that.</source>
        <translation>Kopieren Sie die Datei an einen anderen Ort und versuchen Sie es dort.</translation>
    </message>
    <message>
        <source>“{name}” is a folder.</source>
        <translation>„{name}“ ist ein Ordner.</translation>
    </message>
    <message>
        <source>Choose files instead.</source>
        <translation>Wählen Sie stattdessen Dateien.</translation>
    </message>
    <message>
        <source>“{name}” is {what}, not a file.</source>
        <translation>„{name}“ ist {what}, keine Datei.</translation>
    </message>
    <message>
        <source>Save what it gives in a file, and open that.</source>
        <translation>Speichern Sie die Ausgabe in einer Datei und öffnen Sie diese.</translation>
    </message>
    <message>
        <source>“{path}” is not a file.</source>
        <translation>„{path}“ ist keine Datei.</translation>
    </message>
    <message>
        <source>Give the name of a file for the output.</source>
        <translation>Geben Sie den Namen einer Datei für die Ausgabe an.</translation>
    </message>
    <message>
        <source>“{name}” could not be read: it is damaged.</source>
        <translation>„{name}“ konnte nicht gelesen werden: Die Datei ist beschädigt.</translation>
    </message>
    <message>
        <source>Check the file.</source>
        <translation>Prüfen Sie die Datei.</translation>
    </message>
    <message>
        <source>“{name}” is larger than {size}.</source>
        <translation>„{name}“ ist größer als {size}.</translation>
    </message>
    <message>
        <source>Split it into parts.</source>
        <translation>Teilen Sie die Datei auf.</translation>
    </message>
    <message>
        <source>Line {number:,} of {name} is longer than {size}.</source>
        <translation>Zeile {number:,} von {name} ist länger als {size}.</translation>
    </message>
    <message>
        <source>Split the text in it into parts.</source>
        <translation>Teilen Sie den Text darin auf.</translation>
    </message>
    <message>
        <source>“{name}” would unpack to far more than any file of texts, and was not read.</source>
        <translation>„{name}“ wäre entpackt weit größer als jede Textdatei und wurde nicht gelesen.</translation>
    </message>
    <message>
        <source>Unpack it yourself if you trust it.</source>
        <translation>Entpacken Sie die Datei selbst, wenn Sie ihr vertrauen.</translation>
    </message>
    <message>
        <source>{size:,}</source>
        <translation>{size:,}</translation>
    </message>
    <message>
        <source>{sizes} × {size:,}</source>
        <translation>{sizes} × {size:,}</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>in Verwendung</translation>
    </message>
    <message>
        <source>in this model too, not in use</source>
        <translation>auch in diesem Modell, nicht in Verwendung</translation>
    </message>
    <message>
        <source>not in this model</source>
        <translation>nicht in diesem Modell</translation>
    </message>
    <message>
        <source>Afrikaans</source>
        <translation>Afrikaans</translation>
    </message>
    <message>
        <source>Arabic</source>
        <translation>Arabisch</translation>
    </message>
    <message>
        <source>Azerbaijani</source>
        <translation>Aserbaidschanisch</translation>
    </message>
    <message>
        <source>Belarusian</source>
        <translation>Belarussisch</translation>
    </message>
    <message>
        <source>Bulgarian</source>
        <translation>Bulgarisch</translation>
    </message>
    <message>
        <source>Bengali</source>
        <translation>Bengalisch</translation>
    </message>
    <message>
        <source>Bosnian</source>
        <translation>Bosnisch</translation>
    </message>
    <message>
        <source>Catalan</source>
        <translation>Katalanisch</translation>
    </message>
    <message>
        <source>Czech</source>
        <translation>Tschechisch</translation>
    </message>
    <message>
        <source>Welsh</source>
        <translation>Walisisch</translation>
    </message>
    <message>
        <source>Danish</source>
        <translation>Dänisch</translation>
    </message>
    <message>
        <source>German</source>
        <translation>Deutsch</translation>
    </message>
    <message>
        <source>Greek</source>
        <translation>Griechisch</translation>
    </message>
    <message>
        <source>English</source>
        <translation>Englisch</translation>
    </message>
    <message>
        <source>Spanish</source>
        <translation>Spanisch</translation>
    </message>
    <message>
        <source>Estonian</source>
        <translation>Estnisch</translation>
    </message>
    <message>
        <source>Basque</source>
        <translation>Baskisch</translation>
    </message>
    <message>
        <source>Persian</source>
        <translation>Persisch</translation>
    </message>
    <message>
        <source>Finnish</source>
        <translation>Finnisch</translation>
    </message>
    <message>
        <source>French</source>
        <translation>Französisch</translation>
    </message>
    <message>
        <source>Irish</source>
        <translation>Irisch</translation>
    </message>
    <message>
        <source>Galician</source>
        <translation>Galicisch</translation>
    </message>
    <message>
        <source>Gujarati</source>
        <translation>Gujarati</translation>
    </message>
    <message>
        <source>Hebrew</source>
        <translation>Hebräisch</translation>
    </message>
    <message>
        <source>Hindi</source>
        <translation>Hindi</translation>
    </message>
    <message>
        <source>Croatian</source>
        <translation>Kroatisch</translation>
    </message>
    <message>
        <source>Hungarian</source>
        <translation>Ungarisch</translation>
    </message>
    <message>
        <source>Armenian</source>
        <translation>Armenisch</translation>
    </message>
    <message>
        <source>Indonesian</source>
        <translation>Indonesisch</translation>
    </message>
    <message>
        <source>Icelandic</source>
        <translation>Isländisch</translation>
    </message>
    <message>
        <source>Italian</source>
        <translation>Italienisch</translation>
    </message>
    <message>
        <source>Japanese</source>
        <translation>Japanisch</translation>
    </message>
    <message>
        <source>Georgian</source>
        <translation>Georgisch</translation>
    </message>
    <message>
        <source>Kazakh</source>
        <translation>Kasachisch</translation>
    </message>
    <message>
        <source>Khmer</source>
        <translation>Khmer</translation>
    </message>
    <message>
        <source>Kannada</source>
        <translation>Kannada</translation>
    </message>
    <message>
        <source>Korean</source>
        <translation>Koreanisch</translation>
    </message>
    <message>
        <source>Latin</source>
        <translation>Latein</translation>
    </message>
    <message>
        <source>Lao</source>
        <translation>Laotisch</translation>
    </message>
    <message>
        <source>Lithuanian</source>
        <translation>Litauisch</translation>
    </message>
    <message>
        <source>Latvian</source>
        <translation>Lettisch</translation>
    </message>
    <message>
        <source>Macedonian</source>
        <translation>Mazedonisch</translation>
    </message>
    <message>
        <source>Malayalam</source>
        <translation>Malayalam</translation>
    </message>
    <message>
        <source>Mongolian</source>
        <translation>Mongolisch</translation>
    </message>
    <message>
        <source>Marathi</source>
        <translation>Marathi</translation>
    </message>
    <message>
        <source>Malay</source>
        <translation>Malaiisch</translation>
    </message>
    <message>
        <source>many languages</source>
        <translation>viele Sprachen</translation>
    </message>
    <message>
        <source>Burmese</source>
        <translation>Birmanisch</translation>
    </message>
    <message>
        <source>Norwegian (Bokmål)</source>
        <translation>Norwegisch (Bokmål)</translation>
    </message>
    <message>
        <source>Nepali</source>
        <translation>Nepalesisch</translation>
    </message>
    <message>
        <source>Dutch</source>
        <translation>Niederländisch</translation>
    </message>
    <message>
        <source>Norwegian (Nynorsk)</source>
        <translation>Norwegisch (Nynorsk)</translation>
    </message>
    <message>
        <source>Norwegian</source>
        <translation>Norwegisch</translation>
    </message>
    <message>
        <source>Punjabi</source>
        <translation>Punjabi</translation>
    </message>
    <message>
        <source>Polish</source>
        <translation>Polnisch</translation>
    </message>
    <message>
        <source>Portuguese</source>
        <translation>Portugiesisch</translation>
    </message>
    <message>
        <source>Romanian</source>
        <translation>Rumänisch</translation>
    </message>
    <message>
        <source>Russian</source>
        <translation>Russisch</translation>
    </message>
    <message>
        <source>Sinhala</source>
        <translation>Singhalesisch</translation>
    </message>
    <message>
        <source>Slovak</source>
        <translation>Slowakisch</translation>
    </message>
    <message>
        <source>Slovenian</source>
        <translation>Slowenisch</translation>
    </message>
    <message>
        <source>Albanian</source>
        <translation>Albanisch</translation>
    </message>
    <message>
        <source>Serbian</source>
        <translation>Serbisch</translation>
    </message>
    <message>
        <source>Swedish</source>
        <translation>Schwedisch</translation>
    </message>
    <message>
        <source>Swahili</source>
        <translation>Suaheli</translation>
    </message>
    <message>
        <source>Tamil</source>
        <translation>Tamil</translation>
    </message>
    <message>
        <source>Telugu</source>
        <translation>Telugu</translation>
    </message>
    <message>
        <source>Thai</source>
        <translation>Thailändisch</translation>
    </message>
    <message>
        <source>Tagalog</source>
        <translation>Tagalog</translation>
    </message>
    <message>
        <source>Turkish</source>
        <translation>Türkisch</translation>
    </message>
    <message>
        <source>Ukrainian</source>
        <translation>Ukrainisch</translation>
    </message>
    <message>
        <source>Urdu</source>
        <translation>Urdu</translation>
    </message>
    <message>
        <source>Uzbek</source>
        <translation>Usbekisch</translation>
    </message>
    <message>
        <source>Vietnamese</source>
        <translation>Vietnamesisch</translation>
    </message>
    <message>
        <source>Chinese</source>
        <translation>Chinesisch</translation>
    </message>
    <message numerus="yes">
        <source>{n} language</source>
        <comment>{n} languages</comment>
        <translation>
            <numerusform>{n} Sprache</numerusform>
            <numerusform>{n} Sprachen</numerusform>
        </translation>
    </message>
    <message>
        <source>It is read with the next update.</source>
        <translation>Wird bei der nächsten Aktualisierung gelesen.</translation>
    </message>
    <message>
        <source>It holds no text.</source>
        <translation>Die Datei enthält keinen Text.</translation>
    </message>
    <message>
        <source>It needs a password.</source>
        <translation>Die Datei verlangt ein Passwort.</translation>
    </message>
    <message>
        <source>It could not be read.</source>
        <translation>Die Datei konnte nicht gelesen werden.</translation>
    </message>
    <message>
        <source>It is not there any more.</source>
        <translation>Die Datei ist nicht mehr da.</translation>
    </message>
    <message>
        <source>It has changed; until the next update it is searched as it was.</source>
        <translation>Die Datei hat sich geändert; bis zur nächsten Aktualisierung wird ihr alter Stand durchsucht.</translation>
    </message>
    <message>
        <source>{files}, {n:,} in part</source>
        <translation>{files}, davon {n:,} teilweise</translation>
    </message>
    <message>
        <source>No files yet</source>
        <translation>Noch keine Dateien</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} file read</source>
        <comment>{n:,} files read</comment>
        <translation>
            <numerusform>{n:,} Datei gelesen</numerusform>
            <numerusform>{n:,} Dateien gelesen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{read:,} of {n:,} file read</source>
        <comment>{read:,} of {n:,} files read</comment>
        <translation>
            <numerusform>{read:,} von {n:,} Datei gelesen</numerusform>
            <numerusform>{read:,} von {n:,} Dateien gelesen</numerusform>
        </translation>
    </message>
    <message>
        <source>“{folder}” is not there now; what was read from it can still be asked.</source>
        <translation>„{folder}“ ist gerade nicht da; was daraus gelesen wurde, kann weiter befragt werden.</translation>
    </message>
    <message>
        <source>“{folder}” could not be opened.</source>
        <translation>„{folder}“ konnte nicht geöffnet werden.</translation>
    </message>
    <message numerus="yes">
        <source>“{folder}” and {n:,} other folder could not be opened.</source>
        <comment>“{folder}” and {n:,} other folders could not be opened.</comment>
        <translation>
            <numerusform>„{folder}“ und {n:,} weiterer Ordner konnten nicht geöffnet werden.</numerusform>
            <numerusform>„{folder}“ und {n:,} weitere Ordner konnten nicht geöffnet werden.</numerusform>
        </translation>
    </message>
    <message>
        <source>one of its own: see its page</source>
        <translation>eine eigene: siehe Webseite</translation>
    </message>
    <message>
        <source>Answers a question from a text</source>
        <translation>Beantwortet eine Frage aus einem Text</translation>
    </message>
    <message>
        <source>question answering</source>
        <translation>Question Answering</translation>
    </message>
    <message>
        <source>Tells which class a text is of</source>
        <translation>Ordnet einen Text einer Klasse zu</translation>
    </message>
    <message>
        <source>sequence classification</source>
        <translation>Sequenzklassifikation</translation>
    </message>
    <message>
        <source>Fills in hidden words</source>
        <translation>Ergänzt verdeckte Wörter</translation>
    </message>
    <message>
        <source>masked language model</source>
        <translation>maskiertes Sprachmodell</translation>
    </message>
    <message>
        <source>Tells whether a text follows another</source>
        <translation>Erkennt, ob ein Text auf einen anderen folgt</translation>
    </message>
    <message>
        <source>next sentence prediction</source>
        <translation>Vorhersage des nächsten Satzes</translation>
    </message>
    <message>
        <source>Finds names</source>
        <translation>Findet Namen</translation>
    </message>
    <message>
        <source>token classification</source>
        <translation>Token-Klassifikation</translation>
    </message>
    <message>
        <source>Finds passages by meaning</source>
        <translation>Findet Passagen nach ihrer Bedeutung</translation>
    </message>
    <message>
        <source>sentence embeddings</source>
        <translation>Satz-Embeddings</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Apple GPU</source>
        <translation>Apple-GPU</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>People</source>
        <translation>Personen</translation>
    </message>
    <message>
        <source>Places</source>
        <translation>Orte</translation>
    </message>
    <message>
        <source>Countries and cities</source>
        <translation>Länder und Städte</translation>
    </message>
    <message>
        <source>Buildings</source>
        <translation>Bauwerke</translation>
    </message>
    <message>
        <source>Organisations</source>
        <translation>Organisationen</translation>
    </message>
    <message>
        <source>Companies</source>
        <translation>Unternehmen</translation>
    </message>
    <message>
        <source>Groups</source>
        <translation>Gruppen</translation>
    </message>
    <message>
        <source>Peoples, faiths, parties</source>
        <translation>Völker, Religionen, Parteien</translation>
    </message>
    <message>
        <source>Other names</source>
        <translation>Andere Namen</translation>
    </message>
    <message>
        <source>Products</source>
        <translation>Produkte</translation>
    </message>
    <message>
        <source>Works</source>
        <translation>Werke</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>Ereignisse</translation>
    </message>
    <message>
        <source>Laws</source>
        <translation>Gesetze</translation>
    </message>
    <message>
        <source>Languages</source>
        <translation>Sprachen</translation>
    </message>
    <message>
        <source>Dates</source>
        <translation>Datumsangaben</translation>
    </message>
    <message>
        <source>Times</source>
        <translation>Uhrzeiten</translation>
    </message>
    <message>
        <source>Sums of money</source>
        <translation>Geldbeträge</translation>
    </message>
    <message>
        <source>Percentages</source>
        <translation>Prozentangaben</translation>
    </message>
    <message>
        <source>Quantities</source>
        <translation>Mengen</translation>
    </message>
    <message>
        <source>Ordinal numbers</source>
        <translation>Ordnungszahlen</translation>
    </message>
    <message>
        <source>Numbers</source>
        <translation>Zahlen</translation>
    </message>
    <message>
        <source>first word</source>
        <translation>erstes Wort</translation>
    </message>
    <message>
        <source>next word</source>
        <translation>weiteres Wort</translation>
    </message>
    <message>
        <source>last word</source>
        <translation>letztes Wort</translation>
    </message>
    <message>
        <source>only word</source>
        <translation>einziges Wort</translation>
    </message>
    <message>
        <source>no name ({tag})</source>
        <translation>kein Name ({tag})</translation>
    </message>
    <message>
        <source>{type}, {place} ({tag})</source>
        <translation>{type}, {place} ({tag})</translation>
    </message>
    <message>
        <source>The document has no pages.</source>
        <translation>Das Dokument hat keine Seiten.</translation>
    </message>
    <message>
        <source>There are no words to mark.</source>
        <translation>Es gibt keine Wörter zum Markieren.</translation>
    </message>
    <message>
        <source>The font of these words does not say which letters they are.</source>
        <translation>Die Schrift dieser Wörter verrät nicht, welche Buchstaben es sind.</translation>
    </message>
    <message>
        <source>Some of these words are not drawn on the page.</source>
        <translation>Einige dieser Wörter sind auf der Seite nicht zu sehen.</translation>
    </message>
    <message>
        <source>Other words lie over these on the page.</source>
        <translation>Auf der Seite liegen andere Wörter über diesen.</translation>
    </message>
    <message>
        <source>The page does not say exactly these words.</source>
        <translation>Auf der Seite stehen nicht genau diese Wörter.</translation>
    </message>
    <message>
        <source>Row: {row} · Column: {column}</source>
        <translation>Zeile: {row} · Spalte: {column}</translation>
    </message>
    <message>
        <source>Row: {row}</source>
        <translation>Zeile: {row}</translation>
    </message>
    <message>
        <source>Column: {column}</source>
        <translation>Spalte: {column}</translation>
    </message>
    <message>
        <source>The announcement of new versions is in a newer form than this Spanlight reads.</source>
        <translation>Die Ankündigung neuer Versionen hat ein neueres Format, als dieses Spanlight lesen kann.</translation>
    </message>
    <message>
        <source>Look on the page that Spanlight came from.</source>
        <translation>Sehen Sie auf der Seite nach, von der Spanlight stammt.</translation>
    </message>
    <message>
        <source>What is at that address does not announce versions of Spanlight.</source>
        <translation>Unter dieser Adresse werden keine Versionen von Spanlight angekündigt.</translation>
    </message>
    <message>
        <source>Check the address.</source>
        <translation>Prüfen Sie die Adresse.</translation>
    </message>
    <message>
        <source>Paragraphs</source>
        <translation>Absätze</translation>
    </message>
    <message>
        <source>Long documents</source>
        <translation>Lange Dokumente</translation>
    </message>
    <message>
        <source>Tables</source>
        <translation>Tabellen</translation>
    </message>
    <message>
        <source>{kind}: off by less than 1 point on average ({questions})</source>
        <translation>{kind}: im Mittel um weniger als 1 Prozentpunkt daneben ({questions})</translation>
    </message>
    <message numerus="yes">
        <source>{kind}: off by {n} point on average ({questions})</source>
        <comment>{kind}: off by {n} points on average ({questions})</comment>
        <translation>
            <numerusform>{kind}: im Mittel um {n} Prozentpunkt daneben ({questions})</numerusform>
            <numerusform>{kind}: im Mittel um {n} Prozentpunkte daneben ({questions})</numerusform>
        </translation>
    </message>
    <message>
        <source>There is no text to classify.</source>
        <translation>Es gibt keinen Text zum Klassifizieren.</translation>
    </message>
    <message>
        <source>There is no blank to fill in.</source>
        <translation>Es gibt keine Lücke zum Füllen.</translation>
    </message>
    <message>
        <source>Put {blank} where a word is missing.</source>
        <translation>Setzen Sie {blank} an die Stelle, an der ein Wort fehlt.</translation>
    </message>
    <message>
        <source>There are no passages to compare.</source>
        <translation>Es gibt keine Passagen zum Vergleichen.</translation>
    </message>
    <message>
        <source>Type or paste two first.</source>
        <translation>Geben Sie zuerst zwei ein oder fügen Sie zwei ein.</translation>
    </message>
    <message>
        <source>Type or paste something there.</source>
        <translation>Geben Sie dort etwas ein oder fügen Sie etwas ein.</translation>
    </message>
    <message>
        <source>There is no text to look for names in.</source>
        <translation>Es gibt keinen Text, in dem Namen gesucht werden können.</translation>
    </message>
    <message>
        <source>The first passage is empty.</source>
        <translation>Die erste Passage ist leer.</translation>
    </message>
    <message>
        <source>The second passage is empty.</source>
        <translation>Die zweite Passage ist leer.</translation>
    </message>
    <message>
        <source>The first passage of pair {number} of {pairs} is empty.</source>
        <translation>Die erste Passage von Paar {number} von {pairs} ist leer.</translation>
    </message>
    <message>
        <source>The second passage of pair {number} of {pairs} is empty.</source>
        <translation>Die zweite Passage von Paar {number} von {pairs} ist leer.</translation>
    </message>
    <message>
        <source>Type or paste one first.</source>
        <translation>Geben Sie zuerst einen ein oder fügen Sie einen ein.</translation>
    </message>
    <message>
        <source>The text is empty.</source>
        <translation>Der Text ist leer.</translation>
    </message>
    <message>
        <source>Text {number} of {texts} is empty.</source>
        <translation>Text {number} von {texts} ist leer.</translation>
    </message>
    <message>
        <source>Type something, or leave it out.</source>
        <translation>Geben Sie etwas ein oder lassen Sie ihn weg.</translation>
    </message>
    <message>
        <source>Line {line} of {file} has no text under “{name}”.</source>
        <translation>Zeile {line} von {file} hat keinen Text unter „{name}“.</translation>
    </message>
    <message>
        <source>Every row must be an object with &quot;{name}&quot;.</source>
        <translation>Jede Zeile muss ein Objekt mit &quot;{name}&quot; sein.</translation>
    </message>
    <message>
        <source>Line {number} of {file} is not a JSON object.</source>
        <translation>Zeile {number} von {file} ist kein JSON-Objekt.</translation>
    </message>
    <message>
        <source>The file must be JSON Lines in UTF-8.</source>
        <translation>Die Datei muss JSON Lines in UTF-8 sein.</translation>
    </message>
    <message>
        <source>This system is too old for Spanlight, which needs the C library (glibc {version} or newer).</source>
        <translation>Dieses System ist zu alt für Spanlight; nötig ist die C-Bibliothek (glibc {version} oder neuer).</translation>
    </message>
    <message>
        <source>This system is too old for Spanlight, which needs the C++ library (GLIBCXX {version} or newer).</source>
        <translation>Dieses System ist zu alt für Spanlight; nötig ist die C++-Bibliothek (GLIBCXX {version} oder neuer).</translation>
    </message>
    <message>
        <source>Install it on a newer release of the system.</source>
        <translation>Installieren Sie es auf einer neueren Version des Systems.</translation>
    </message>
    <message>
        <source>Spanlight is not whole: {name} is missing.</source>
        <translation>Spanlight ist unvollständig: {name} fehlt.</translation>
    </message>
    <message>
        <source>Install your system&apos;s package that brings it.</source>
        <translation>Installieren Sie das Paket Ihres Systems, das sie enthält.</translation>
    </message>
    <message>
        <source>To install it: sudo apt install {package}</source>
        <translation>Zum Installieren: sudo apt install {package}</translation>
    </message>
    <message>
        <source>The system&apos;s library {name} is missing, which Spanlight needs.</source>
        <translation>Die Systembibliothek {name} fehlt, die Spanlight braucht.</translation>
    </message>
    <message>
        <source>Spanlight is not whole: {name} is broken ({reason}).</source>
        <translation>Spanlight ist unvollständig: {name} ist defekt ({reason}).</translation>
    </message>
    <message>
        <source>Spanlight is not whole: {reason}.</source>
        <translation>Spanlight ist unvollständig: {reason}.</translation>
    </message>
    <message>
        <source>Get the code once more, delete the folder .venv beside it, and start again: {command}</source>
        <translation>Holen Sie den Code noch einmal, löschen Sie den Ordner .venv daneben und starten Sie erneut: {command}</translation>
    </message>
    <message>
        <source>Install it again.</source>
        <translation>Installieren Sie es noch einmal.</translation>
    </message>
    <message>
        <source>Reading the page</source>
        <translation>Seite wird gelesen</translation>
    </message>
    <message>
        <source>What is nested more than {levels} deep is shown as plain paragraphs.</source>
        <translation>Was mehr als {levels} Ebenen tief verschachtelt ist, erscheint als einfache Absätze.</translation>
    </message>
    <message>
        <source>Reading the text</source>
        <translation>Text wird gelesen</translation>
    </message>
    <message>
        <source>This PDF is pictures of pages: it holds no text to read.</source>
        <translation>Diese PDF-Datei besteht aus Bildern von Seiten: Sie enthält keinen lesbaren Text.</translation>
    </message>
    <message>
        <source>The pages of this PDF are empty.</source>
        <translation>Die Seiten dieser PDF-Datei sind leer.</translation>
    </message>
    <message>
        <source>This PDF is damaged: it was read as far as it goes, and some of it may be wrong.</source>
        <translation>Diese PDF-Datei ist beschädigt: Sie wurde gelesen, so weit es ging, und manches darin kann falsch sein.</translation>
    </message>
    <message>
        <source>“{name}” is no longer where it was.</source>
        <translation>„{name}“ liegt nicht mehr am alten Ort.</translation>
    </message>
    <message>
        <source>Open it again from its folder.</source>
        <translation>Öffnen Sie die Datei noch einmal aus ihrem Ordner.</translation>
    </message>
    <message>
        <source>its disk is at fault</source>
        <translation>es liegt am Datenträger</translation>
    </message>
    <message>
        <source>Check the file and its folder.</source>
        <translation>Prüfen Sie die Datei und ihren Ordner.</translation>
    </message>
    <message>
        <source>The password does not fit “{name}”.</source>
        <translation>Das Passwort passt nicht zu „{name}“.</translation>
    </message>
    <message>
        <source>Type it again.</source>
        <translation>Geben Sie es noch einmal ein.</translation>
    </message>
    <message>
        <source>“{name}” asks for a password.</source>
        <translation>„{name}“ verlangt ein Passwort.</translation>
    </message>
    <message>
        <source>Type the password that it was locked with.</source>
        <translation>Geben Sie das Passwort ein, mit dem die Datei gesperrt wurde.</translation>
    </message>
    <message>
        <source>“{name}” is locked in a way that cannot be opened here.</source>
        <translation>„{name}“ ist auf eine Weise gesperrt, die hier nicht geöffnet werden kann.</translation>
    </message>
    <message>
        <source>Save a copy without the lock in the program that opens it.</source>
        <translation>Speichern Sie eine Kopie ohne Sperre in dem Programm, das die Datei öffnet.</translation>
    </message>
    <message>
        <source>“{name}” has no pages.</source>
        <translation>„{name}“ hat keine Seiten.</translation>
    </message>
    <message>
        <source>“{name}” has {n:,.0f} million pixels, and a picture may have at most {most:,.0f} million.</source>
        <translation>„{name}“ hat {n:,.0f} Millionen Pixel; ein Bild darf höchstens {most:,.0f} Millionen haben.</translation>
    </message>
    <message>
        <source>Save it smaller, and open that.</source>
        <translation>Speichern Sie es kleiner und öffnen Sie das.</translation>
    </message>
    <message>
        <source>“{name}” is a picture of a kind that is not read here: {kind}.</source>
        <translation>„{name}“ ist ein Bild einer Art, die hier nicht gelesen wird: {kind}.</translation>
    </message>
    <message>
        <source>Save it as plain PNG or JPEG, and open that.</source>
        <translation>Speichern Sie es als gewöhnliches PNG oder JPEG und öffnen Sie das.</translation>
    </message>
    <message>
        <source>Get or save the file again.</source>
        <translation>Holen oder speichern Sie die Datei noch einmal.</translation>
    </message>
    <message>
        <source>“{name}” is a damaged picture.</source>
        <translation>„{name}“ ist ein beschädigtes Bild.</translation>
    </message>
    <message>
        <source>“{name}” is damaged, and no page of it can be read.</source>
        <translation>„{name}“ ist beschädigt, und keine Seite davon kann gelesen werden.</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} page</source>
        <comment>{n:,} pages</comment>
        <translation>
            <numerusform>{n:,} Seite</numerusform>
            <numerusform>{n:,} Seiten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} of {pages} could not be read.</source>
        <comment>{n:,} of {pages} could not be read.</comment>
        <translation>
            <numerusform>{n:,} von {pages} konnte nicht gelesen werden.</numerusform>
            <numerusform>{n:,} von {pages} konnten nicht gelesen werden.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The text of the page was recognised in its picture.</source>
        <comment>The text of all {n:,} pages was recognised in their pictures.</comment>
        <translation>
            <numerusform>Der Text der Seite wurde in ihrem Bild erkannt.</numerusform>
            <numerusform>Der Text aller {n:,} Seiten wurde in ihren Bildern erkannt.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The text of {n:,} of {pages} was recognised in its picture.</source>
        <comment>The text of {n:,} of {pages} was recognised in their pictures.</comment>
        <translation>
            <numerusform>Der Text von {n:,} Seite ({pages} insgesamt) wurde in ihrem Bild erkannt.</numerusform>
            <numerusform>Der Text von {n:,} Seiten ({pages} insgesamt) wurde in ihren Bildern erkannt.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} of {pages} is a picture and holds no text.</source>
        <comment>{n:,} of {pages} are pictures and hold no text.</comment>
        <translation>
            <numerusform>{n:,} von {pages} ist ein Bild und enthält keinen Text.</numerusform>
            <numerusform>{n:,} von {pages} sind Bilder und enthalten keinen Text.</numerusform>
        </translation>
    </message>
    <message>
        <source>Page {page} cannot be read.</source>
        <translation>Seite {page} kann nicht gelesen werden.</translation>
    </message>
    <message>
        <source>“{name}” has changed since it was opened.</source>
        <translation>„{name}“ wurde seit dem Öffnen geändert.</translation>
    </message>
    <message>
        <source>Read it again.</source>
        <translation>Lesen Sie die Datei neu ein.</translation>
    </message>
    <message>
        <source>Page {page} is too large to be drawn at this size.</source>
        <translation>Seite {page} ist zu groß, um in dieser Größe dargestellt zu werden.</translation>
    </message>
    <message>
        <source>Make it smaller on the screen.</source>
        <translation>Verkleinern Sie die Anzeige.</translation>
    </message>
    <message>
        <source>The copy must not take the place of the original.</source>
        <translation>Die Kopie darf das Original nicht ersetzen.</translation>
    </message>
    <message>
        <source>Give it another name or folder.</source>
        <translation>Wählen Sie einen anderen Namen oder Ordner.</translation>
    </message>
    <message>
        <source>highlights</source>
        <translation>Markierungen</translation>
    </message>
    <message>
        <source>Reading pages</source>
        <translation>Seiten werden gelesen</translation>
    </message>
    <message>
        <source>“{name}” is not a text file.</source>
        <translation>„{name}“ ist keine Textdatei.</translation>
    </message>
    <message>
        <source>Open a text, a PDF, a Word file or a web page.</source>
        <translation>Öffnen Sie einen Text, eine PDF-Datei, eine Word-Datei oder eine Webseite.</translation>
    </message>
    <message>
        <source>Reading {name}</source>
        <translation>{name} wird gelesen</translation>
    </message>
    <message>
        <source>“{name}” was changed while it was read.</source>
        <translation>„{name}“ wurde beim Lesen geändert.</translation>
    </message>
    <message>
        <source>Try again once the other program has saved it.</source>
        <translation>Versuchen Sie es erneut, sobald das andere Programm die Datei gespeichert hat.</translation>
    </message>
    <message>
        <source>“{name}” holds no text.</source>
        <translation>„{name}“ enthält keinen Text.</translation>
    </message>
    <message>
        <source>Open a file with something to read in it.</source>
        <translation>Öffnen Sie eine Datei, in der etwas zu lesen ist.</translation>
    </message>
    <message>
        <source>By its content, “{name}” is {kind}.</source>
        <translation>Dem Inhalt nach ist „{name}“ {kind}.</translation>
    </message>
    <message>
        <source>“{name}” was changed while it was read; read it again to have it whole.</source>
        <translation>„{name}“ wurde beim Lesen geändert; lesen Sie die Datei neu ein, um sie vollständig zu haben.</translation>
    </message>
    <message>
        <source>“{name}” is empty.</source>
        <translation>„{name}“ ist leer.</translation>
    </message>
    <message>
        <source>“{name}” is {size} large, and {kind} may have at most {most}.</source>
        <translation>„{name}“ ist {size} groß, und {kind} darf höchstens {most} umfassen.</translation>
    </message>
    <message>
        <source>Split it, and open the part that matters.</source>
        <translation>Teilen Sie die Datei auf und öffnen Sie den Teil, auf den es ankommt.</translation>
    </message>
    <message>
        <source>a text</source>
        <translation>ein Text</translation>
    </message>
    <message>
        <source>a Markdown file</source>
        <translation>eine Markdown-Datei</translation>
    </message>
    <message>
        <source>a PDF</source>
        <translation>eine PDF-Datei</translation>
    </message>
    <message>
        <source>a Word file</source>
        <translation>eine Word-Datei</translation>
    </message>
    <message>
        <source>an OpenDocument text</source>
        <translation>ein OpenDocument-Text</translation>
    </message>
    <message>
        <source>a rich text file</source>
        <translation>eine Rich-Text-Datei</translation>
    </message>
    <message>
        <source>an OpenDocument presentation</source>
        <translation>eine OpenDocument-Präsentation</translation>
    </message>
    <message>
        <source>an OpenDocument spreadsheet</source>
        <translation>eine OpenDocument-Tabelle</translation>
    </message>
    <message>
        <source>a table as text (CSV)</source>
        <translation>eine Tabelle als Text (CSV)</translation>
    </message>
    <message>
        <source>a web page</source>
        <translation>eine Webseite</translation>
    </message>
    <message>
        <source>Markdown</source>
        <translation>Markdown</translation>
    </message>
    <message>
        <source>text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>a mail</source>
        <translation>eine E-Mail</translation>
    </message>
    <message>
        <source>a mailbox</source>
        <translation>ein Postfach</translation>
    </message>
    <message>
        <source>a mail that Outlook saved</source>
        <translation>eine von Outlook gespeicherte E-Mail</translation>
    </message>
    <message>
        <source>Save it as PNG or JPEG, and open that.</source>
        <translation>Speichern Sie es als PNG oder JPEG und öffnen Sie das.</translation>
    </message>
    <message>
        <source>a picture</source>
        <translation>ein Bild</translation>
    </message>
    <message>
        <source>a packed file</source>
        <translation>eine gepackte Datei</translation>
    </message>
    <message>
        <source>a packed file (.zip)</source>
        <translation>eine gepackte Datei (.zip)</translation>
    </message>
    <message>
        <source>sound or film</source>
        <translation>eine Audio- oder Videodatei</translation>
    </message>
    <message>
        <source>a database</source>
        <translation>eine Datenbank</translation>
    </message>
    <message>
        <source>an Excel file</source>
        <translation>eine Excel-Datei</translation>
    </message>
    <message>
        <source>a PowerPoint file</source>
        <translation>eine PowerPoint-Datei</translation>
    </message>
    <message>
        <source>an old Excel file (.xls)</source>
        <translation>eine alte Excel-Datei (.xls)</translation>
    </message>
    <message>
        <source>an old PowerPoint file (.ppt)</source>
        <translation>eine alte PowerPoint-Datei (.ppt)</translation>
    </message>
    <message>
        <source>It may be damaged. Open it in the program that made it, and save it again.</source>
        <translation>Vielleicht ist die Datei beschädigt. Öffnen Sie sie in dem Programm, mit dem sie erstellt wurde, und speichern Sie sie noch einmal.</translation>
    </message>
    <message>
        <source>an EPUB book</source>
        <translation>ein EPUB-Buch</translation>
    </message>
    <message>
        <source>an OpenDocument file</source>
        <translation>eine OpenDocument-Datei</translation>
    </message>
    <message>
        <source>an old Word file (.doc)</source>
        <translation>eine alte Word-Datei (.doc)</translation>
    </message>
    <message>
        <source>an old Office file</source>
        <translation>eine alte Office-Datei</translation>
    </message>
    <message>
        <source>“{name}” does not begin as {kind} does.</source>
        <translation>„{name}“ beginnt nicht wie {kind}.</translation>
    </message>
    <message>
        <source>“{name}” is broken: parts of it are missing.</source>
        <translation>„{name}“ ist defekt: Teile davon fehlen.</translation>
    </message>
    <message>
        <source>Unpack it, and open what is in it.</source>
        <translation>Entpacken Sie die Datei und öffnen Sie, was darin ist.</translation>
    </message>
    <message>
        <source>Save it as PDF, as Word file (.docx) or as text, and open that.</source>
        <translation>Speichern Sie die Datei als PDF, als Word-Datei (.docx) oder als Text und öffnen Sie diese.</translation>
    </message>
    <message>
        <source>“{name}” is {what}, which cannot be read.</source>
        <translation>„{name}“ ist {what}; das kann nicht gelesen werden.</translation>
    </message>
    <message>
        <source>Reading the slides</source>
        <translation>Folien werden gelesen</translation>
    </message>
    <message>
        <source>Opening the document</source>
        <translation>Dokument wird geöffnet</translation>
    </message>
    <message>
        <source>“{name}” is not what its type says.</source>
        <translation>„{name}“ ist nicht das, was der Dateityp angibt.</translation>
    </message>
    <message>
        <source>Open a file that LibreOffice can open.</source>
        <translation>Öffnen Sie eine Datei, die sich in LibreOffice öffnen lässt.</translation>
    </message>
    <message>
        <source>“{name}” is not a Word document.</source>
        <translation>„{name}“ ist kein Word-Dokument.</translation>
    </message>
    <message>
        <source>Open a .docx file that Word can open.</source>
        <translation>Öffnen Sie eine .docx-Datei, die Word öffnen kann.</translation>
    </message>
    <message>
        <source>Opening the book</source>
        <translation>Buch wird geöffnet</translation>
    </message>
    <message>
        <source>“{name}” is not an EPUB book.</source>
        <translation>„{name}“ ist kein EPUB-Buch.</translation>
    </message>
    <message>
        <source>Reading the book</source>
        <translation>Buch wird gelesen</translation>
    </message>
    <message>
        <source>The file is damaged: what could be read of it is shown.</source>
        <translation>Die Datei ist beschädigt: Gezeigt wird, was davon gelesen werden konnte.</translation>
    </message>
    <message>
        <source>The book is too long: {read:,} of its {all:,} parts are shown.</source>
        <translation>Das Buch ist zu lang: Gezeigt werden {read:,} von {all:,} Teilen.</translation>
    </message>
    <message>
        <source>“{name}” is protected against copying (DRM), and cannot be read.</source>
        <translation>„{name}“ ist kopiergeschützt (DRM) und kann nicht gelesen werden.</translation>
    </message>
    <message>
        <source>Read it in the program that it was bought for, or get a copy without protection.</source>
        <translation>Lesen Sie das Buch in dem Programm, für das es gekauft wurde, oder besorgen Sie eine Ausgabe ohne Kopierschutz.</translation>
    </message>
    <message>
        <source>Reading the document</source>
        <translation>Dokument wird gelesen</translation>
    </message>
    <message>
        <source>“{name}” holds declarations that no document needs, and was not opened.</source>
        <translation>„{name}“ enthält Deklarationen, die kein Dokument braucht, und wurde nicht geöffnet.</translation>
    </message>
    <message>
        <source>Open it in the program that wrote it and save it anew, if you trust it.</source>
        <translation>Öffnen Sie die Datei in dem Programm, das sie erstellt hat, und speichern Sie sie neu, wenn Sie ihr vertrauen.</translation>
    </message>
    <message>
        <source>“{name}” holds more than {most:,} packed files, which no document does.</source>
        <translation>„{name}“ enthält mehr als {most:,} gepackte Dateien; so viele hat kein Dokument.</translation>
    </message>
    <message>
        <source>Unpack it with another program, and open the files that matter.</source>
        <translation>Entpacken Sie die Datei mit einem anderen Programm und öffnen Sie die Dateien, auf die es ankommt.</translation>
    </message>
    <message>
        <source>“{name}” holds files that would be unpacked outside of it, and was not opened.</source>
        <translation>„{name}“ enthält Dateien, die außerhalb entpackt würden, und wurde nicht geöffnet.</translation>
    </message>
    <message>
        <source>“{name}” is protected with a password, which only the program that set it can take off.</source>
        <translation>„{name}“ ist mit einem Passwort geschützt, das nur das Programm entfernen kann, in dem es gesetzt wurde.</translation>
    </message>
    <message>
        <source>Open it there, save a copy without a password, and open that.</source>
        <translation>Öffnen Sie die Datei dort, speichern Sie eine Kopie ohne Passwort und öffnen Sie diese.</translation>
    </message>
    <message>
        <source>“{name}” is of an old Office that is not read.</source>
        <translation>„{name}“ stammt aus einem alten Office, dessen Dateien nicht gelesen werden.</translation>
    </message>
    <message>
        <source>Open it in a newer one and save it anew, as .docx or .pptx.</source>
        <translation>Öffnen Sie die Datei in einem neueren Office und speichern Sie sie neu, als .docx oder .pptx.</translation>
    </message>
    <message>
        <source>“{name}” is damaged: nothing of its text could be read.</source>
        <translation>„{name}“ ist beschädigt: Nichts vom Text konnte gelesen werden.</translation>
    </message>
    <message>
        <source>“{name}” is no mail that Outlook saved.</source>
        <translation>„{name}“ ist keine von Outlook gespeicherte E-Mail.</translation>
    </message>
    <message>
        <source>Open it in the program that wrote it, and save it as PDF or as text.</source>
        <translation>Öffnen Sie die Datei in dem Programm, das sie erstellt hat, und speichern Sie sie als PDF oder als Text.</translation>
    </message>
    <message>
        <source>Get it again from where it came.</source>
        <translation>Holen Sie die Datei noch einmal von dort, wo sie herkam.</translation>
    </message>
    <message>
        <source>“{name}” would unpack to far more than a document, and was not opened.</source>
        <translation>„{name}“ wäre entpackt weit größer als ein Dokument und wurde nicht geöffnet.</translation>
    </message>
    <message>
        <source>The {process} could not be started: {reason}.</source>
        <translation>Der {process} konnte nicht gestartet werden: {reason}.</translation>
    </message>
    <message>
        <source>Close other programs and try again.</source>
        <translation>Schließen Sie andere Programme und versuchen Sie es erneut.</translation>
    </message>
    <message>
        <source>The {process} ended while it was at work.</source>
        <translation>Der {process} endete mitten in der Arbeit.</translation>
    </message>
    <message>
        <source>The {process} was ended by the system, most likely because memory ran out.</source>
        <translation>Der {process} wurde vom System beendet, höchstwahrscheinlich weil der Speicher ausging.</translation>
    </message>
    <message>
        <source>The {process} used more memory than it is allowed.</source>
        <translation>Der {process} hat mehr Speicher verwendet, als ihm erlaubt ist.</translation>
    </message>
    <message>
        <source>The {process} crashed.</source>
        <translation>Der {process} ist abgestürzt.</translation>
    </message>
    <message>
        <source>Try again: it starts anew. If it happens again, close other programs.</source>
        <translation>Versuchen Sie es erneut: Der Prozess startet neu. Geschieht es wieder, schließen Sie andere Programme.</translation>
    </message>
    <message>
        <source>The GPU broke down: the models now run on the CPU.</source>
        <translation>Die GPU ist ausgefallen: Die Modelle laufen jetzt auf der CPU.</translation>
    </message>
    <message>
        <source>Trying {name} took too long, so it is not used.</source>
        <translation>Die Prüfung von {name} dauerte zu lange, daher wird es nicht verwendet.</translation>
    </message>
    <message>
        <source>Choose another model.</source>
        <translation>Wählen Sie ein anderes Modell.</translation>
    </message>
    <message>
        <source>{fault}: long texts are read by {name} alone.</source>
        <translation>{fault}: Lange Texte werden von {name} allein gelesen.</translation>
    </message>
    <message>
        <source>Loading {name}</source>
        <translation>{name} wird geladen</translation>
    </message>
    <message>
        <source>{fault}: the text is read in shorter windows of {tokens} tokens.</source>
        <translation>{fault}: Der Text wird in kürzeren Fenstern von {tokens} Tokens gelesen.</translation>
    </message>
    <message>
        <source>{fault}: the model now runs on the CPU.</source>
        <translation>{fault}: Das Modell läuft jetzt auf der CPU.</translation>
    </message>
    <message>
        <source>model process</source>
        <translation>Modellprozess</translation>
    </message>
    <message>
        <source>modules</source>
        <translation>Module</translation>
    </message>
    <message>
        <source>The model&apos;s tokenizer failed on this text.</source>
        <translation>Der Tokenizer des Modells ist an diesem Text gescheitert.</translation>
    </message>
    <message>
        <source>Fetch a whole copy of the model, or use another one.</source>
        <translation>Holen Sie eine vollständige Kopie des Modells oder verwenden Sie ein anderes.</translation>
    </message>
    <message>
        <source>Loading PyTorch</source>
        <translation>PyTorch wird geladen</translation>
    </message>
    <message>
        <source>PyTorch cannot be loaded: {reason}.</source>
        <translation>PyTorch kann nicht geladen werden: {reason}.</translation>
    </message>
    <message>
        <source>This computer has too little free memory for that.</source>
        <translation>Dieser Computer hat dafür zu wenig freien Speicher.</translation>
    </message>
    <message>
        <source>Close other programs, or give it less at a time.</source>
        <translation>Schließen Sie andere Programme oder geben Sie weniger auf einmal ein.</translation>
    </message>
    <message>
        <source>The text has to be read again.</source>
        <translation>Der Text muss noch einmal gelesen werden.</translation>
    </message>
    <message>
        <source>Ask again.</source>
        <translation>Fragen Sie erneut.</translation>
    </message>
    <message>
        <source>Fetch a whole copy of this model, or choose another.</source>
        <translation>Holen Sie eine vollständige Kopie dieses Modells oder wählen Sie ein anderes.</translation>
    </message>
    <message>
        <source>{name} holds no head that Spanlight can use.</source>
        <translation>{name} hat keinen Kopf, den Spanlight verwenden kann.</translation>
    </message>
    <message>
        <source>Choose a model that was tuned for a task: to answer, classify, find names or fill in words.</source>
        <translation>Wählen Sie ein Modell, das für eine Aufgabe nachtrainiert wurde: Antworten, Klassifizieren, Namen finden oder Lücken füllen.</translation>
    </message>
    <message>
        <source>Trying {name}</source>
        <translation>{name} wird geprüft</translation>
    </message>
    <message>
        <source>the trial</source>
        <translation>die Prüfung</translation>
    </message>
    <message>
        <source>{name} does not work when it is to answer questions.</source>
        <translation>{name} versagt beim Beantworten von Fragen.</translation>
    </message>
    <message>
        <source>{name} does not work when it is to classify texts.</source>
        <translation>{name} versagt beim Klassifizieren von Texten.</translation>
    </message>
    <message>
        <source>{name} does not work when it is to fill in words.</source>
        <translation>{name} versagt beim Füllen von Lücken.</translation>
    </message>
    <message>
        <source>{name} does not work when it is to tell what follows.</source>
        <translation>{name} versagt beim Erkennen von Folgesätzen.</translation>
    </message>
    <message>
        <source>{name} does not work when it is to find names.</source>
        <translation>{name} versagt beim Finden von Namen.</translation>
    </message>
    <message>
        <source>{name} does not work when it is to find passages by meaning.</source>
        <translation>{name} versagt beim Finden von Passagen nach ihrer Bedeutung.</translation>
    </message>
    <message>
        <source>The tokenizer of {name} fails on some texts.</source>
        <translation>Der Tokenizer von {name} scheitert an manchen Texten.</translation>
    </message>
    <message>
        <source>The tokenizer of {name} takes too long for a page of text.</source>
        <translation>Der Tokenizer von {name} braucht zu lange für eine Seite Text.</translation>
    </message>
    <message>
        <source>The tokenizer of {name} makes texts longer without end.</source>
        <translation>Der Tokenizer von {name} macht Texte endlos länger.</translation>
    </message>
    <message>
        <source>The tokenizer of {name} does not tell where in a text its tokens stand.</source>
        <translation>Der Tokenizer von {name} sagt nicht, wo im Text seine Tokens stehen.</translation>
    </message>
    <message>
        <source>{name} gives scores of a wrong shape.</source>
        <translation>{name} liefert Scores in falscher Form.</translation>
    </message>
    <message>
        <source>{name} gives scores that are no finite numbers.</source>
        <translation>{name} liefert Scores, die keine endlichen Zahlen sind.</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Texts, drafts, history</source>
        <translation>Texte, Entwürfe, Verlauf</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>Protokolle</translation>
    </message>
    <message>
        <source>“{file}” has none of this table&apos;s questions.</source>
        <translation>„{file}“ enthält keine der Fragen dieser Tabelle.</translation>
    </message>
    <message>
        <source>Choose the list that was loaded.</source>
        <translation>Wählen Sie die Liste, die geladen wurde.</translation>
    </message>
    <message>
        <source>Tables cannot be written as “{file}”.</source>
        <translation>Tabellen können nicht als „{file}“ geschrieben werden.</translation>
    </message>
    <message>
        <source>End the name with {endings} or {last}.</source>
        <translation>Der Name muss auf {endings} oder {last} enden.</translation>
    </message>
    <message>
        <source>The table has more documents than a spreadsheet has columns.</source>
        <translation>Die Tabelle hat mehr Dokumente, als eine Tabellenkalkulation Spalten hat.</translation>
    </message>
    <message>
        <source>Export it as CSV.</source>
        <translation>Exportieren Sie sie als CSV.</translation>
    </message>
    <message>
        <source>The table has more cells than a spreadsheet takes.</source>
        <translation>Die Tabelle hat mehr Zellen, als eine Tabellenkalkulation aufnimmt.</translation>
    </message>
    <message>
        <source>Another process is filling the table “{table}”</source>
        <translation>Ein anderer Prozess füllt die Tabelle „{table}“</translation>
    </message>
    <message>
        <source>Wait until it is done: what it has read is not read again.</source>
        <translation>Warten Sie, bis er fertig ist: Was er gelesen hat, wird nicht noch einmal gelesen.</translation>
    </message>
    <message>
        <source>cells</source>
        <translation>Zellen</translation>
    </message>
    <message>
        <source>“{file}” has no questions.</source>
        <translation>„{file}“ enthält keine Fragen.</translation>
    </message>
    <message>
        <source>Write one per line.</source>
        <translation>Schreiben Sie eine pro Zeile.</translation>
    </message>
    <message>
        <source>Choose another file.</source>
        <translation>Wählen Sie eine andere Datei.</translation>
    </message>
    <message>
        <source>“{file}” is not a spreadsheet that can be read.</source>
        <translation>„{file}“ ist keine lesbare Tabellenkalkulationsdatei.</translation>
    </message>
    <message>
        <source>Save it as XLSX again, or as CSV.</source>
        <translation>Speichern Sie die Datei noch einmal als XLSX oder als CSV.</translation>
    </message>
    <message>
        <source>“{name}” is too large to be read.</source>
        <translation>„{name}“ ist zu groß, um gelesen zu werden.</translation>
    </message>
    <message>
        <source>Save it as CSV again.</source>
        <translation>Speichern Sie die Datei noch einmal als CSV.</translation>
    </message>
    <message>
        <source>A table needs a name.</source>
        <translation>Eine Tabelle braucht einen Namen.</translation>
    </message>
    <message>
        <source>Type one.</source>
        <translation>Geben Sie einen ein.</translation>
    </message>
    <message>
        <source>The table “{name}” is over another library.</source>
        <translation>Die Tabelle „{name}“ gehört zu einer anderen Bibliothek.</translation>
    </message>
    <message>
        <source>Give it another name.</source>
        <translation>Wählen Sie einen anderen Namen.</translation>
    </message>
    <message>
        <source>The library of the table “{table}” was removed.</source>
        <translation>Die Bibliothek der Tabelle „{table}“ wurde entfernt.</translation>
    </message>
    <message>
        <source>Add its folder again, under the same name.</source>
        <translation>Fügen Sie ihren Ordner unter demselben Namen wieder hinzu.</translation>
    </message>
    <message>
        <source>A set of questions needs a name.</source>
        <translation>Ein Fragenset braucht einen Namen.</translation>
    </message>
    <message>
        <source>The table has your verdict, but no reader can learn from it: {fault}</source>
        <translation>Die Tabelle hat Ihr Urteil, aber kein Lesemodell kann daraus lernen: {fault}</translation>
    </message>
    <message>
        <source>There are {number:,} questions; a table holds at most {most:,}.</source>
        <translation>Es sind {number:,} Fragen; eine Tabelle fasst höchstens {most:,}.</translation>
    </message>
    <message>
        <source>Split them over several tables.</source>
        <translation>Verteilen Sie sie auf mehrere Tabellen.</translation>
    </message>
    <message>
        <source>Yes</source>
        <translation>Ja</translation>
    </message>
    <message>
        <source>No</source>
        <translation>Nein</translation>
    </message>
    <message>
        <source>documents process</source>
        <translation>Dokumentprozess</translation>
    </message>
    <message>
        <source>pages process</source>
        <translation>Seitenprozess</translation>
    </message>
    <message>
        <source>“{name}” could not be read</source>
        <translation>„{name}“ konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>recognition process</source>
        <translation>Texterkennungsprozess</translation>
    </message>
    <message>
        <source>The text of “{name}” could not be recognised</source>
        <translation>Der Text von „{name}“ konnte nicht erkannt werden</translation>
    </message>
    <message>
        <source>The language was not told</source>
        <translation>Die Sprache wurde nicht erkannt</translation>
    </message>
    <message>
        <source>The columns could not be added to the spreadsheet</source>
        <translation>Die Spalten konnten nicht in die Tabellendatei geschrieben werden</translation>
    </message>
    <message>
        <source>Page {number} of “{name}” could not be drawn</source>
        <translation>Seite {number} von „{name}“ konnte nicht dargestellt werden</translation>
    </message>
    <message>
        <source>“{name}” could not be marked</source>
        <translation>„{name}“ konnte nicht mit Markierungen versehen werden</translation>
    </message>
    <message>
        <source>{failed}: it takes more than {size} GB of memory.</source>
        <translation>{failed}: Es sind mehr als {size} GB Speicher nötig.</translation>
    </message>
    <message>
        <source>Split it, or open it in another program and save it anew.</source>
        <translation>Teilen Sie die Datei auf oder öffnen Sie sie in einem anderen Programm und speichern Sie sie neu.</translation>
    </message>
    <message>
        <source>{failed}: it makes the reader break off.</source>
        <translation>{failed}: Das Lesen bricht dabei ab.</translation>
    </message>
    <message>
        <source>It may be damaged; open it in another program and save it anew.</source>
        <translation>Vielleicht ist die Datei beschädigt; öffnen Sie sie in einem anderen Programm und speichern Sie sie neu.</translation>
    </message>
    <message>
        <source>{failed}: after {time} there was no end to it.</source>
        <translation>{failed}: Nach {time} war kein Ende abzusehen.</translation>
    </message>
    <message>
        <source>It may be damaged; split it, or open it in another program and save it anew.</source>
        <translation>Vielleicht ist die Datei beschädigt; teilen Sie sie auf oder öffnen Sie sie in einem anderen Programm und speichern Sie sie neu.</translation>
    </message>
    <message>
        <source>The question is empty.</source>
        <translation>Die Frage ist leer.</translation>
    </message>
    <message>
        <source>Type what you want to know.</source>
        <translation>Geben Sie ein, was Sie wissen möchten.</translation>
    </message>
    <message>
        <source>Open or paste a text first.</source>
        <translation>Öffnen Sie zuerst einen Text oder fügen Sie einen ein.</translation>
    </message>
    <message>
        <source>“{name}” brings {kind} of more than {size}.</source>
        <translation>„{name}“ liefert zu viel: {kind}, größer als {size}.</translation>
    </message>
    <message>
        <source>Save it in a file, and open that.</source>
        <translation>Speichern Sie sie als Datei und öffnen Sie diese.</translation>
    </message>
    <message>
        <source>Table (CSV)</source>
        <translation>Tabelle (CSV)</translation>
    </message>
    <message>
        <source>Tagged words (CoNLL)</source>
        <translation>Wörter mit Tags (CoNLL)</translation>
    </message>
    <message>
        <source>For programs (JSON)</source>
        <translation>Für Programme (JSON)</translation>
    </message>
    <message>
        <source>models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>A question: {title}</source>
        <translation>Eine Frage: {title}</translation>
    </message>
    <message>
        <source>A text to classify: {title}</source>
        <translation>Ein Text zum Klassifizieren: {title}</translation>
    </message>
    <message>
        <source>A sentence with a blank: {title}</source>
        <translation>Ein Satz mit einer Lücke: {title}</translation>
    </message>
    <message>
        <source>What follows: {title}</source>
        <translation>Was folgt: {title}</translation>
    </message>
    <message>
        <source>Names in a text: {title}</source>
        <translation>Namen in einem Text: {title}</translation>
    </message>
    <message>
        <source>Now {likely} (was {was}).</source>
        <translation>Jetzt {likely} (vorher {was}).</translation>
    </message>
    <message>
        <source>The text still does not say.</source>
        <translation>Der Text sagt es weiterhin nicht.</translation>
    </message>
    <message>
        <source>Still no answer in the part that was read.</source>
        <translation>Weiterhin keine Antwort im gelesenen Teil.</translation>
    </message>
    <message>
        <source>The text does not say any more (was “{was}”).</source>
        <translation>Der Text sagt es nicht mehr (vorher „{was}“).</translation>
    </message>
    <message>
        <source>Now no answer in the part that was read (was “{was}”).</source>
        <translation>Jetzt keine Antwort im gelesenen Teil (vorher „{was}“).</translation>
    </message>
    <message>
        <source>Now there is an answer: “{words}”. {likely}.</source>
        <translation>Jetzt gibt es eine Antwort: „{words}“. {likely}.</translation>
    </message>
    <message>
        <source>Now there are nearest words: “{words}”. {likely}.</source>
        <translation>Jetzt gibt es nächstliegende Wörter: „{words}“. {likely}.</translation>
    </message>
    <message>
        <source>Now there are only nearest words: “{words}” (was “{was}”). {likely}.</source>
        <translation>Jetzt gibt es nur nächstliegende Wörter: „{words}“ (vorher „{was}“). {likely}.</translation>
    </message>
    <message>
        <source>Another answer now: “{words}” (was “{was}”). {likely}.</source>
        <translation>Jetzt eine andere Antwort: „{words}“ (vorher „{was}“). {likely}.</translation>
    </message>
    <message>
        <source>Other nearest words now: “{words}” (was “{was}”). {likely}.</source>
        <translation>Jetzt andere nächstliegende Wörter: „{words}“ (vorher „{was}“). {likely}.</translation>
    </message>
    <message>
        <source>The same answer, at the same place.</source>
        <translation>Dieselbe Antwort, an derselben Stelle.</translation>
    </message>
    <message>
        <source>The same nearest words, at the same place.</source>
        <translation>Dieselben nächstliegenden Wörter, an derselben Stelle.</translation>
    </message>
    <message>
        <source>The same answer, at another place: {where}.</source>
        <translation>Dieselbe Antwort, an einer anderen Stelle: {where}.</translation>
    </message>
    <message>
        <source>The same answer, at another place.</source>
        <translation>Dieselbe Antwort, an einer anderen Stelle.</translation>
    </message>
    <message>
        <source>The same nearest words, at another place: {where}.</source>
        <translation>Dieselben nächstliegenden Wörter, an einer anderen Stelle: {where}.</translation>
    </message>
    <message>
        <source>The same nearest words, at another place.</source>
        <translation>Dieselben nächstliegenden Wörter, an einer anderen Stelle.</translation>
    </message>
    <message>
        <source>{kind} is not text.</source>
        <translation>{kind} ist kein Text.</translation>
    </message>
    <message>
        <source>Name a file that it is to be written to.</source>
        <translation>Geben Sie eine Datei an, in die geschrieben werden soll.</translation>
    </message>
    <message>
        <source>There is nothing to export.</source>
        <translation>Es gibt nichts zu exportieren.</translation>
    </message>
    <message>
        <source>Ask something first, or look for other words.</source>
        <translation>Fragen Sie zuerst etwas oder suchen Sie nach anderen Wörtern.</translation>
    </message>
    <message>
        <source>Page to read (Markdown)</source>
        <translation>Seite zum Lesen (Markdown)</translation>
    </message>
    <message>
        <source>Web annotations (JSON)</source>
        <translation>Web-Annotationen (JSON)</translation>
    </message>
    <message>
        <source>Questions and answers (SQuAD 2.0)</source>
        <translation>Fragen und Antworten (SQuAD 2.0)</translation>
    </message>
    <message>
        <source>Highlights in a copy of the PDF</source>
        <translation>Markierungen in einer Kopie der PDF-Datei</translation>
    </message>
    <message>
        <source>There is no format “{kind}”.</source>
        <translation>Es gibt kein Format „{kind}“.</translation>
    </message>
    <message>
        <source>The formats are: {formats}.</source>
        <translation>Die Formate sind: {formats}.</translation>
    </message>
    <message>
        <source>None of these answers stands in a PDF, so there is nothing to mark.</source>
        <translation>Keine dieser Antworten steht in einer PDF-Datei, daher gibt es nichts zu markieren.</translation>
    </message>
    <message>
        <source>Choose another format.</source>
        <translation>Wählen Sie ein anderes Format.</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} answer in documents other than PDF left out.</source>
        <comment>{n:,} answers in documents other than PDF left out.</comment>
        <translation>
            <numerusform>{n:,} Antwort in anderen Dokumenten als PDF-Dateien weggelassen.</numerusform>
            <numerusform>{n:,} Antworten in anderen Dokumenten als PDF-Dateien weggelassen.</numerusform>
        </translation>
    </message>
    <message>
        <source>Marking PDFs</source>
        <translation>PDF-Dateien werden markiert</translation>
    </message>
    <message>
        <source>“{words}” on {page} of {document} was not marked: {reason}</source>
        <translation>„{words}“ auf {page} von {document} wurde nicht markiert: {reason}</translation>
    </message>
    <message>
        <source>“{words}” of {document} was not marked: {reason}</source>
        <translation>„{words}“ in {document} wurde nicht markiert: {reason}</translation>
    </message>
    <message>
        <source>{file} is the document itself.</source>
        <translation>{file} ist das Dokument selbst.</translation>
    </message>
    <message>
        <source>Choose another name for the copy.</source>
        <translation>Wählen Sie einen anderen Namen für die Kopie.</translation>
    </message>
    <message>
        <source>{name} has changed since it was asked.</source>
        <translation>{name} hat sich seit der Frage geändert.</translation>
    </message>
    <message>
        <source>Ask again, then export.</source>
        <translation>Fragen Sie erneut und exportieren Sie dann.</translation>
    </message>
    <message>
        <source>the file has changed since it was asked.</source>
        <translation>Die Datei hat sich seit der Frage geändert.</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} question could not be written: neither the text nor a sentence of it is there any more.</source>
        <comment>{n:,} questions could not be written: neither the text nor a sentence of it is there any more.</comment>
        <translation>
            <numerusform>{n:,} Frage konnte nicht geschrieben werden: Weder der Text noch ein Satz daraus ist noch da.</numerusform>
            <numerusform>{n:,} Fragen konnten nicht geschrieben werden: Weder der Text noch ein Satz daraus ist noch da.</numerusform>
        </translation>
    </message>
    <message>
        <source>Reading the documents</source>
        <translation>Dokumente werden gelesen</translation>
    </message>
    <message>
        <source>{fault} Its kept sentences were written instead.</source>
        <translation>{fault} Stattdessen wurden die gespeicherten Sätze geschrieben.</translation>
    </message>
    <message>
        <source>{document} has changed since: its kept sentences were written instead.</source>
        <translation>{document} hat sich seither geändert: Stattdessen wurden die gespeicherten Sätze geschrieben.</translation>
    </message>
    <message>
        <source>The file is not there any more.</source>
        <translation>Die Datei ist nicht mehr da.</translation>
    </message>
    <message>
        <source>Opening {document}</source>
        <translation>{document} wird geöffnet</translation>
    </message>
    <message>
        <source>The text is not kept any more.</source>
        <translation>Der Text ist nicht mehr gespeichert.</translation>
    </message>
    <message>
        <source>The file has changed since.</source>
        <translation>Die Datei hat sich seither geändert.</translation>
    </message>
    <message>
        <source>{reader} is not installed any more; {model} has read it.</source>
        <translation>{reader} ist nicht mehr installiert; {model} hat gelesen.</translation>
    </message>
    <message>
        <source>That time: {stopped}.</source>
        <translation>Damals: {stopped}.</translation>
    </message>
    <message>
        <source>{file} is not there any more.</source>
        <translation>{file} ist nicht mehr da.</translation>
    </message>
    <message>
        <source>It may have been moved or renamed.</source>
        <translation>Vielleicht wurde die Datei verschoben oder umbenannt.</translation>
    </message>
    <message>
        <source>The text of {document} is not kept any more.</source>
        <translation>Der Text von {document} ist nicht mehr gespeichert.</translation>
    </message>
    <message>
        <source>Paste it again.</source>
        <translation>Fügen Sie ihn noch einmal ein.</translation>
    </message>
    <message>
        <source>passages</source>
        <translation>Passagen</translation>
    </message>
    <message>
        <source>Check the folder&apos;s permissions.</source>
        <translation>Prüfen Sie die Zugriffsrechte des Ordners.</translation>
    </message>
    <message numerus="yes">
        <source>{kinds} and {n:,} other</source>
        <comment>{kinds} and {n:,} others</comment>
        <translation>
            <numerusform>{kinds} und {n:,} weitere</numerusform>
            <numerusform>{kinds} und {n:,} weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>“{folder}” cannot be read.</source>
        <translation>„{folder}“ kann nicht gelesen werden.</translation>
    </message>
    <message>
        <source>files found</source>
        <translation>gefundene Dateien</translation>
    </message>
    <message>
        <source>There is nothing at “{path}”.</source>
        <translation>Unter „{path}“ gibt es nichts.</translation>
    </message>
    <message>
        <source>“{root}” could not be looked at: {reason}.</source>
        <translation>„{root}“ konnte nicht geprüft werden: {reason}.</translation>
    </message>
    <message>
        <source>“{name}” takes files of every kind; it would lose the others.</source>
        <translation>„{name}“ nimmt Dateien aller Art auf; die anderen gingen verloren.</translation>
    </message>
    <message>
        <source>Give these folders a library of their own.</source>
        <translation>Geben Sie diesen Ordnern eine eigene Bibliothek.</translation>
    </message>
    <message>
        <source>Nothing of “{library}” has been read yet.</source>
        <translation>Von „{library}“ wurde noch nichts gelesen.</translation>
    </message>
    <message>
        <source>Update it, or add a folder with documents to it.</source>
        <translation>Aktualisieren Sie die Bibliothek oder fügen Sie einen Ordner mit Dokumenten hinzu.</translation>
    </message>
    <message>
        <source>Reading {document}</source>
        <translation>{document} wird gelesen</translation>
    </message>
    <message>
        <source>“Recognise all scans”, below the list of files that were not read, changes that; in a terminal: library update --recognise.</source>
        <translation>„Alle Scans erkennen“, unter der Liste der nicht gelesenen Dateien, ändert das; im Terminal: library update --recognise.</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} moved or copied</source>
        <comment>{n:,} moved or copied</comment>
        <translation>
            <numerusform>{n:,} verschoben oder kopiert</numerusform>
            <numerusform>{n:,} verschoben oder kopiert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} gone</source>
        <comment>{n:,} gone</comment>
        <translation>
            <numerusform>{n:,} nicht mehr da</numerusform>
            <numerusform>{n:,} nicht mehr da</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} could not be read</source>
        <comment>{n:,} could not be read</comment>
        <translation>
            <numerusform>{n:,} konnte nicht gelesen werden</numerusform>
            <numerusform>{n:,} konnten nicht gelesen werden</numerusform>
        </translation>
    </message>
    <message>
        <source>Another Spanlight is updating the libraries just now</source>
        <translation>Ein anderes Spanlight aktualisiert gerade die Bibliotheken</translation>
    </message>
    <message>
        <source>What was read can be asked; try again later.</source>
        <translation>Was gelesen wurde, kann befragt werden; versuchen Sie es später erneut.</translation>
    </message>
    <message>
        <source>files compared</source>
        <translation>verglichene Dateien</translation>
    </message>
    <message>
        <source>“{file}” could not be read: {reason}.</source>
        <translation>„{file}“ konnte nicht gelesen werden: {reason}.</translation>
    </message>
    <message>
        <source>It crashes Spanlight; this is a bug.</source>
        <translation>Die Datei bringt Spanlight zum Absturz; das ist ein Fehler in Spanlight.</translation>
    </message>
    <message>
        <source>files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>The list of licences is missing.</source>
        <translation>Die Liste der Lizenzen fehlt.</translation>
    </message>
    <message>
        <source>Text in pictures cannot be recognised: Tesseract is missing.</source>
        <translation>Text in Bildern kann nicht erkannt werden: Tesseract fehlt.</translation>
    </message>
    <message>
        <source>Install the program tesseract, or the Python package tesserocr, and start Spanlight again.</source>
        <translation>Installieren Sie das Programm tesseract oder das Python-Paket tesserocr und starten Sie Spanlight neu.</translation>
    </message>
    <message>
        <source>Text in pictures cannot be recognised: {folder} cannot be used.</source>
        <translation>Text in Bildern kann nicht erkannt werden: {folder} ist nicht nutzbar.</translation>
    </message>
    <message>
        <source>Install Spanlight again.</source>
        <translation>Installieren Sie Spanlight noch einmal.</translation>
    </message>
    <message>
        <source>The model {name} does not choose one of several classes.</source>
        <translation>Das Modell {name} ordnet Texte nicht genau einer von mehreren Klassen zu.</translation>
    </message>
    <message>
        <source>Only a model that does can be measured so.</source>
        <translation>Nur ein Modell, das dies tut, kann so gemessen werden.</translation>
    </message>
    <message>
        <source>The labels differ: the examples have {theirs}; {model} says {own}.</source>
        <translation>Die Labels unterscheiden sich: Die Beispiele haben {theirs}; {model} verwendet {own}.</translation>
    </message>
    <message>
        <source>Say which of the model&apos;s labels stands for which.</source>
        <translation>Geben Sie an, welches Label des Modells für welches steht.</translation>
    </message>
    <message>
        <source>{model} has no label “{label}”.</source>
        <translation>{model} hat kein Label „{label}“.</translation>
    </message>
    <message>
        <source>It says {labels}.</source>
        <translation>Das Modell verwendet {labels}.</translation>
    </message>
    <message>
        <source>The examples have no label “{label}”.</source>
        <translation>Die Beispiele haben kein Label „{label}“.</translation>
    </message>
    <message>
        <source>They have {labels}.</source>
        <translation>Sie haben {labels}.</translation>
    </message>
    <message>
        <source>{labels} and {n} more</source>
        <translation>{labels} und {n} weitere</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>{labels} and {last}</source>
        <translation>{labels} und {last}</translation>
    </message>
    <message>
        <source>{set}, a part</source>
        <translation>{set}, ein Teil</translation>
    </message>
    <message>
        <source>This measure is not kept: {reason} {hint}</source>
        <translation>Diese Messung wird nicht gespeichert: {reason} {hint}</translation>
    </message>
    <message>
        <source>Only measures on the very same examples can be compared.</source>
        <translation>Nur Messungen an genau denselben Beispielen können verglichen werden.</translation>
    </message>
    <message>
        <source>{first} read “{data}”, {second} “{other}”: measure both on one set.</source>
        <translation>{first} las „{data}“, {second} „{other}“: Messen Sie beide an denselben Beispielen.</translation>
    </message>
    <message>
        <source>No examples come along that fit {model}.</source>
        <translation>Es sind keine Beispiele dabei, die zu {model} passen.</translation>
    </message>
    <message>
        <source>No examples come along that fit {models} and {model}.</source>
        <translation>Es sind keine Beispiele dabei, die zu {models} und {model} passen.</translation>
    </message>
    <message>
        <source>They are for answering questions, classifying texts and finding names.</source>
        <translation>Die mitgelieferten sind zum Beantworten von Fragen, Klassifizieren von Texten und Finden von Namen.</translation>
    </message>
    <message>
        <source>{commit} is no commit.</source>
        <translation>{commit} ist kein Commit.</translation>
    </message>
    <message>
        <source>It has 40 hexadecimal digits; leave it out for the newest.</source>
        <translation>Ein Commit hat 40 Hexadezimalziffern; für den neuesten lassen Sie ihn weg.</translation>
    </message>
    <message>
        <source>There is no unfinished download of {name}.</source>
        <translation>Es gibt keinen unfertigen Download von {name}.</translation>
    </message>
    <message>
        <source>It may be finished already.</source>
        <translation>Vielleicht ist er schon fertig.</translation>
    </message>
    <message>
        <source>{repository} is installed already, as {name}.</source>
        <translation>{repository} ist bereits installiert, als {name}.</translation>
    </message>
    <message>
        <source>{name} is refused.</source>
        <translation>{name} wird abgelehnt.</translation>
    </message>
    <message>
        <source>Another version of {repository} is installed, as {name}.</source>
        <translation>Eine andere Version von {repository} ist installiert, als {name}.</translation>
    </message>
    <message>
        <source>Remove it first, or have it replaced.</source>
        <translation>Entfernen Sie sie zuerst oder lassen Sie sie ersetzen.</translation>
    </message>
    <message>
        <source>{file} of {name} was changed in the Hugging Face cache.</source>
        <translation>{file} von {name} wurde im Hugging-Face-Cache geändert.</translation>
    </message>
    <message>
        <source>Download it again.</source>
        <translation>Laden Sie das Modell noch einmal herunter.</translation>
    </message>
    <message>
        <source>What was fetched of {name} could not be deleted: {reason}.</source>
        <translation>Was von {name} heruntergeladen wurde, konnte nicht gelöscht werden: {reason}.</translation>
    </message>
    <message>
        <source>Check the permissions of the Hugging Face cache.</source>
        <translation>Prüfen Sie die Zugriffsrechte des Hugging-Face-Cache.</translation>
    </message>
    <message>
        <source>Nothing could be written into {folder}: {reason}.</source>
        <translation>In {folder} konnte nichts geschrieben werden: {reason}.</translation>
    </message>
    <message>
        <source>Checking</source>
        <translation>Wird geprüft</translation>
    </message>
    <message>
        <source>Trying it out</source>
        <translation>Wird ausprobiert</translation>
    </message>
    <message>
        <source>{name} makes the model process break off, and was not added.</source>
        <translation>{name} bringt den Modellprozess zum Abbruch und wurde nicht hinzugefügt.</translation>
    </message>
    <message>
        <source>Close other programs and try again; if it happens again, do not use this model.</source>
        <translation>Schließen Sie andere Programme und versuchen Sie es erneut; geschieht es wieder, verwenden Sie dieses Modell nicht.</translation>
    </message>
    <message>
        <source>{name} is not there any more.</source>
        <translation>{name} ist nicht mehr da.</translation>
    </message>
    <message>
        <source>Import or download it again.</source>
        <translation>Importieren Sie das Modell noch einmal oder laden Sie es erneut herunter.</translation>
    </message>
    <message>
        <source>{told}; {model} reads {languages}.</source>
        <translation>{told}; {model} liest {languages}.</translation>
    </message>
    <message>
        <source>{name} is in {language}</source>
        <translation>{name} ist auf {language}</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} of {total:,} documents is in {languages}</source>
        <comment>{n:,} of {total:,} documents are in {languages}</comment>
        <translation>
            <numerusform>{n:,} von {total:,} Dokumenten ist in anderer Sprache ({languages})</numerusform>
            <numerusform>{n:,} von {total:,} Dokumenten sind in anderer Sprache ({languages})</numerusform>
        </translation>
    </message>
    <message>
        <source>{name} is removed, but its files stay in the Hugging Face cache: {reason}.</source>
        <translation>{name} ist entfernt, aber die Dateien bleiben im Hugging-Face-Cache: {reason}.</translation>
    </message>
    <message>
        <source>Check the cache&apos;s permissions.</source>
        <translation>Prüfen Sie die Zugriffsrechte des Cache.</translation>
    </message>
    <message>
        <source>No model was added yet.</source>
        <translation>Es wurde noch kein Modell hinzugefügt.</translation>
    </message>
    <message>
        <source>These can be removed: {names}.</source>
        <translation>Diese können entfernt werden: {names}.</translation>
    </message>
    <message>
        <source>There is no model {wanted!a}.</source>
        <translation>Es gibt kein Modell {wanted!a}.</translation>
    </message>
    <message>
        <source>{name} comes along with Spanlight and cannot be removed.</source>
        <translation>{name} gehört zu Spanlight und kann nicht entfernt werden.</translation>
    </message>
    <message>
        <source>Choose another model to work with.</source>
        <translation>Wählen Sie ein anderes Modell zum Arbeiten.</translation>
    </message>
    <message>
        <source>{name} lies in {folder}, where Spanlight removes nothing.</source>
        <translation>{name} liegt in {folder}; dort entfernt Spanlight nichts.</translation>
    </message>
    <message>
        <source>Delete that folder yourself.</source>
        <translation>Löschen Sie diesen Ordner selbst.</translation>
    </message>
    <message>
        <source>Copying</source>
        <translation>Wird kopiert</translation>
    </message>
    <message>
        <source>Reading</source>
        <translation>Wird gelesen</translation>
    </message>
    <message>
        <source>Unpacking</source>
        <translation>Wird entpackt</translation>
    </message>
    <message>
        <source>There is nothing at {path}.</source>
        <translation>Unter {path} gibt es nichts.</translation>
    </message>
    <message>
        <source>Check the path.</source>
        <translation>Prüfen Sie den Pfad.</translation>
    </message>
    <message>
        <source>“{file}” is no model.</source>
        <translation>„{file}“ ist kein Modell.</translation>
    </message>
    <message>
        <source>Import a model&apos;s folder, with config.json in it, or a zip of it.</source>
        <translation>Importieren Sie den Ordner eines Modells, mit config.json darin, oder eine ZIP-Datei davon.</translation>
    </message>
    <message>
        <source>“{file}” is a zip, whose files cannot stay in it.</source>
        <translation>„{file}“ ist eine ZIP-Datei; die Dateien darin können nicht dort bleiben.</translation>
    </message>
    <message>
        <source>Import it without linking, or unpack it first.</source>
        <translation>Importieren Sie sie ohne Verknüpfung oder entpacken Sie sie zuerst.</translation>
    </message>
    <message>
        <source>{name} was changed while it was being checked, and was not added.</source>
        <translation>{name} wurde während der Prüfung geändert und nicht hinzugefügt.</translation>
    </message>
    <message>
        <source>Import it again when nothing writes to it any more.</source>
        <translation>Importieren Sie das Modell noch einmal, wenn nichts mehr hineinschreibt.</translation>
    </message>
    <message>
        <source>A model called {name} is there already.</source>
        <translation>Ein Modell namens {name} ist schon da.</translation>
    </message>
    <message>
        <source>Give this one another name, or remove that.</source>
        <translation>Geben Sie diesem einen anderen Namen oder entfernen Sie das vorhandene.</translation>
    </message>
    <message>
        <source>That is the folder where Spanlight keeps its models.</source>
        <translation>Das ist der Ordner, in dem Spanlight seine Modelle speichert.</translation>
    </message>
    <message>
        <source>They are installed already; choose another folder.</source>
        <translation>Sie sind bereits installiert; wählen Sie einen anderen Ordner.</translation>
    </message>
    <message>
        <source>{name} is installed already.</source>
        <translation>{name} ist bereits installiert.</translation>
    </message>
    <message>
        <source>Choose another folder.</source>
        <translation>Wählen Sie einen anderen Ordner.</translation>
    </message>
    <message>
        <source>{file} of {name} cannot be read: {reason}.</source>
        <translation>{file} von {name} kann nicht gelesen werden: {reason}.</translation>
    </message>
    <message>
        <source>{file} of {name} is a link that leads out of its folder.</source>
        <translation>{file} von {name} ist ein Link, der aus dem Ordner hinausführt.</translation>
    </message>
    <message>
        <source>Put the file itself there, or import the folder that holds it.</source>
        <translation>Legen Sie die Datei selbst dort ab oder importieren Sie den Ordner, der sie enthält.</translation>
    </message>
    <message>
        <source>This model is installed already, as {name}.</source>
        <translation>Dieses Modell ist bereits installiert, als {name}.</translation>
    </message>
    <message>
        <source>It can be used under that name; remove it first to bring it in anew.</source>
        <translation>Es kann unter diesem Namen verwendet werden; um es neu zu importieren, entfernen Sie es zuerst.</translation>
    </message>
    <message>
        <source>{file} cannot be read: {reason}.</source>
        <translation>{file} kann nicht gelesen werden: {reason}.</translation>
    </message>
    <message>
        <source>look-up process</source>
        <translation>Nachschlageprozess</translation>
    </message>
    <message>
        <source>download process</source>
        <translation>Downloadprozess</translation>
    </message>
    <message>
        <source>Look the model up again.</source>
        <translation>Schlagen Sie das Modell noch einmal nach.</translation>
    </message>
    <message>
        <source>Go on with it: what was fetched is kept.</source>
        <translation>Setzen Sie den Download fort: Was schon heruntergeladen ist, bleibt erhalten.</translation>
    </message>
    <message>
        <source>Check again.</source>
        <translation>Prüfen Sie erneut.</translation>
    </message>
    <message>
        <source>The process that reaches the network ended while it was at work.</source>
        <translation>Der Prozess, der auf das Netzwerk zugreift, endete mitten in der Arbeit.</translation>
    </message>
    <message>
        <source>The network ledger cannot be read: {reason}.</source>
        <translation>Die Liste der Netzwerkanfragen kann nicht gelesen werden: {reason}.</translation>
    </message>
    <message>
        <source>Check {path}.</source>
        <translation>Prüfen Sie {path}.</translation>
    </message>
    <message>
        <source>The network ledger cannot be cleared: {reason}.</source>
        <translation>Die Liste der Netzwerkanfragen kann nicht geleert werden: {reason}.</translation>
    </message>
    <message>
        <source>Switch that off to look for models on the network.</source>
        <translation>Schalten Sie „Offline“ aus, um im Netzwerk nach Modellen zu suchen.</translation>
    </message>
    <message>
        <source>Spanlight is offline.</source>
        <translation>Spanlight ist offline.</translation>
    </message>
    <message>
        <source>Spanlight is offline now.</source>
        <translation>Spanlight ist jetzt offline.</translation>
    </message>
    <message>
        <source>Switch that off to go on: nothing is lost.</source>
        <translation>Schalten Sie „Offline“ aus, um fortzufahren: Nichts geht verloren.</translation>
    </message>
    <message>
        <source>There is no such file.</source>
        <translation>Es gibt keine solche Datei.</translation>
    </message>
    <message>
        <source>The file is too large to be one of certificates.</source>
        <translation>Die Datei ist zu groß für eine Zertifikatsdatei.</translation>
    </message>
    <message>
        <source>The file cannot be read: {reason}.</source>
        <translation>Die Datei kann nicht gelesen werden: {reason}.</translation>
    </message>
    <message>
        <source>Only the authorities in this file are trusted, not the system&apos;s own.</source>
        <translation>Vertraut wird nur den Zertifizierungsstellen in dieser Datei, nicht denen des Systems.</translation>
    </message>
    <message>
        <source>The file holds no certificates in the PEM form.</source>
        <translation>Die Datei enthält keine Zertifikate im PEM-Format.</translation>
    </message>
    <message>
        <source>Write the folder&apos;s whole path.</source>
        <translation>Geben Sie den vollständigen Pfad des Ordners an.</translation>
    </message>
    <message>
        <source>Nothing can be written into this folder.</source>
        <translation>In diesen Ordner kann nichts geschrieben werden.</translation>
    </message>
    <message>
        <source>This is a file, not a folder.</source>
        <translation>Dies ist eine Datei, kein Ordner.</translation>
    </message>
    <message>
        <source>The folder is not there and cannot be made in {folder}.</source>
        <translation>Der Ordner ist nicht da und kann in {folder} nicht angelegt werden.</translation>
    </message>
    <message>
        <source>The folder cannot be used: {reason}.</source>
        <translation>Der Ordner kann nicht verwendet werden: {reason}.</translation>
    </message>
    <message>
        <source>The folder is made with the first download.</source>
        <translation>Der Ordner wird beim ersten Download angelegt.</translation>
    </message>
    <message>
        <source>Switch that off to check for updates.</source>
        <translation>Schalten Sie „Offline“ aus, um nach Updates zu suchen.</translation>
    </message>
    <message>
        <source>There is no address yet where new versions are announced.</source>
        <translation>Es gibt noch keine Adresse, unter der neue Versionen angekündigt werden.</translation>
    </message>
    <message>
        <source>Write one under Settings, Updates, when you have it.</source>
        <translation>Tragen Sie eine unter „Einstellungen“, „Updates“ ein, sobald Sie sie haben.</translation>
    </message>
    <message>
        <source>{host} takes too long to answer.</source>
        <translation>{host} braucht zu lange für eine Antwort.</translation>
    </message>
    <message>
        <source>Try again later.</source>
        <translation>Versuchen Sie es später erneut.</translation>
    </message>
    <message>
        <source>Lines {first} and {second} of {file} have the same id {id}.</source>
        <translation>Die Zeilen {first} und {second} von {file} haben dieselbe ID {id}.</translation>
    </message>
    <message>
        <source>Give every row an id of its own.</source>
        <translation>Geben Sie jeder Zeile eine eigene ID.</translation>
    </message>
    <message>
        <source>Line {number} of {file} is not a result, so there is nothing to go on with.</source>
        <translation>Zeile {number} von {file} ist kein Ergebnis, daher lässt sich nichts fortsetzen.</translation>
    </message>
    <message>
        <source>Give another name for the output.</source>
        <translation>Geben Sie einen anderen Namen für die Ausgabe an.</translation>
    </message>
    <message>
        <source>Another process is writing “{name}”</source>
        <translation>Ein anderer Prozess schreibt gerade „{name}“</translation>
    </message>
    <message>
        <source>Wait until it is done, or write elsewhere.</source>
        <translation>Warten Sie, bis er fertig ist, oder schreiben Sie an einen anderen Ort.</translation>
    </message>
    <message>
        <source>The output would overwrite what is read.</source>
        <translation>Die Ausgabe würde überschreiben, was gelesen wird.</translation>
    </message>
    <message>
        <source>its name is at fault</source>
        <translation>es liegt am Namen</translation>
    </message>
    <message>
        <source>“{file}” could not be written: {reason}.</source>
        <translation>„{file}“ konnte nicht geschrieben werden: {reason}.</translation>
    </message>
    <message>
        <source>Free some space, check the folder&apos;s permissions, or write elsewhere.</source>
        <translation>Geben Sie Speicherplatz frei, prüfen Sie die Zugriffsrechte des Ordners oder schreiben Sie an einen anderen Ort.</translation>
    </message>
    <message>
        <source>So many files cannot be opened at once.</source>
        <translation>So viele Dateien können nicht auf einmal geöffnet werden.</translation>
    </message>
    <message>
        <source>Open fewer of them at a time.</source>
        <translation>Öffnen Sie weniger davon auf einmal.</translation>
    </message>
    <message>
        <source>“{name}” has {rows} and {columns}: too much for a table.</source>
        <translation>„{name}“ hat {rows} und {columns}: zu viel für eine Tabelle.</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} row</source>
        <comment>{n:,} rows</comment>
        <translation>
            <numerusform>{n:,} Zeile</numerusform>
            <numerusform>{n:,} Zeilen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} column</source>
        <comment>{n:,} columns</comment>
        <translation>
            <numerusform>{n:,} Spalte</numerusform>
            <numerusform>{n:,} Spalten</numerusform>
        </translation>
    </message>
    <message>
        <source>“{file}” has no column “{column}”.</source>
        <translation>„{file}“ hat keine Spalte „{column}“.</translation>
    </message>
    <message>
        <source>Its columns are: {columns}.</source>
        <translation>Die Spalten sind: {columns}.</translation>
    </message>
    <message>
        <source>“{file}” is not a CSV file: {fault}.</source>
        <translation>„{file}“ ist keine CSV-Datei: {fault}.</translation>
    </message>
    <message>
        <source>Row {number} of “{file}” has more values than there are columns.</source>
        <translation>Zeile {number} von „{file}“ hat mehr Werte, als es Spalten gibt.</translation>
    </message>
    <message>
        <source>Put quotation marks around a text that holds the delimiter.</source>
        <translation>Setzen Sie einen Text, der das Trennzeichen enthält, in Anführungszeichen.</translation>
    </message>
    <message>
        <source>Its probabilities are adjusted from {fewest} verdicts on: {number} so far</source>
        <translation>Ab {fewest} Urteilen werden die Wahrscheinlichkeiten angepasst: bisher {number}</translation>
    </message>
    <message>
        <source>Adjusted to your {number:,} verdicts</source>
        <translation>An Ihre {number:,} Urteile angepasst</translation>
    </message>
    <message>
        <source>Not adjusted to your {number:,} verdicts</source>
        <translation>Nicht an Ihre {number:,} Urteile angepasst</translation>
    </message>
    <message>
        <source>The reader&apos;s probabilities were not adjusted to your verdict: {fault}</source>
        <translation>Die Wahrscheinlichkeiten des Lesemodells wurden nicht an Ihr Urteil angepasst: {fault}</translation>
    </message>
    <message>
        <source>{document} has changed since this was asked.</source>
        <translation>{document} hat sich seit dieser Frage geändert.</translation>
    </message>
    <message>
        <source>No words are selected.</source>
        <translation>Es sind keine Wörter ausgewählt.</translation>
    </message>
    <message>
        <source>Select the right ones in the document.</source>
        <translation>Wählen Sie die richtigen im Dokument aus.</translation>
    </message>
    <message>
        <source>There are no corrections to export.</source>
        <translation>Es gibt keine Korrekturen zu exportieren.</translation>
    </message>
    <message>
        <source>Look for other words.</source>
        <translation>Suchen Sie nach anderen Wörtern.</translation>
    </message>
    <message>
        <source>There are too few labels to tell texts apart.</source>
        <translation>Es sind zu wenige Labels, um Texte zu unterscheiden.</translation>
    </message>
    <message>
        <source>Name at least two.</source>
        <translation>Nennen Sie mindestens zwei.</translation>
    </message>
    <message>
        <source>The label “{label}” is there twice.</source>
        <translation>Das Label „{label}“ kommt zweimal vor.</translation>
    </message>
    <message>
        <source>Take one of them out.</source>
        <translation>Entfernen Sie eines davon.</translation>
    </message>
    <message>
        <source>{number:,} labels are more than can be told apart.</source>
        <translation>{number:,} Labels sind mehr, als sich unterscheiden lassen.</translation>
    </message>
    <message>
        <source>Use at most {most}.</source>
        <translation>Verwenden Sie höchstens {most}.</translation>
    </message>
    <message>
        <source>{accuracy} right ({low} to {high})</source>
        <translation>{accuracy} richtig ({low} bis {high})</translation>
    </message>
    <message>
        <source>“{file}” holds no texts.</source>
        <translation>„{file}“ enthält keine Texte.</translation>
    </message>
    <message>
        <source>It needs a header and a row for each text.</source>
        <translation>Die Datei braucht eine Kopfzeile und eine Zeile für jeden Text.</translation>
    </message>
    <message>
        <source>“{file}” has {number:,} rows: at most {most:,} can be labelled at once.</source>
        <translation>„{file}“ hat {number:,} Zeilen: Höchstens {most:,} können auf einmal gelabelt werden.</translation>
    </message>
    <message>
        <source>There is no text to label.</source>
        <translation>Es gibt keinen Text zum Labeln.</translation>
    </message>
    <message>
        <source>Paste a text with a line for each.</source>
        <translation>Fügen Sie Texte ein, einen pro Zeile.</translation>
    </message>
    <message>
        <source>At most {most:,} texts can be labelled at once.</source>
        <translation>Höchstens {most:,} Texte können auf einmal gelabelt werden.</translation>
    </message>
    <message>
        <source>Paste fewer.</source>
        <translation>Fügen Sie weniger ein.</translation>
    </message>
    <message>
        <source>“{file}” has no column “{name}”.</source>
        <translation>„{file}“ hat keine Spalte „{name}“.</translation>
    </message>
    <message>
        <source>It is not clear which column of “{file}” holds the texts.</source>
        <translation>Es ist unklar, welche Spalte von „{file}“ die Texte enthält.</translation>
    </message>
    <message>
        <source>Add --column NAME; its columns are: {columns}.</source>
        <translation>Fügen Sie --column NAME hinzu; die Spalten sind: {columns}.</translation>
    </message>
    <message>
        <source>Measuring the reader</source>
        <translation>Lesemodell wird gemessen</translation>
    </message>
    <message>
        <source>Teaching</source>
        <translation>Lesemodell wird angelernt</translation>
    </message>
    <message>
        <source>Measuring what it learnt</source>
        <translation>Gelerntes wird gemessen</translation>
    </message>
    <message>
        <source>Installing</source>
        <translation>Wird installiert</translation>
    </message>
    <message>
        <source>“{folder}” is there already.</source>
        <translation>„{folder}“ ist schon da.</translation>
    </message>
    <message>
        <source>Give a new folder for the model.</source>
        <translation>Geben Sie einen neuen Ordner für das Modell an.</translation>
    </message>
    <message>
        <source>{name} could not be exported</source>
        <translation>{name} konnte nicht exportiert werden</translation>
    </message>
    <message>
        <source>There are too few corrections to learn from: {number}.</source>
        <translation>Es gibt zu wenige Korrekturen, um daraus zu lernen: {number}.</translation>
    </message>
    <message>
        <source>It takes at least {fewest}: correct some more answers.</source>
        <translation>Nötig sind mindestens {fewest}: Korrigieren Sie weitere Antworten.</translation>
    </message>
    <message>
        <source>The teaching could not begin</source>
        <translation>Das Anlernen konnte nicht beginnen</translation>
    </message>
    <message>
        <source>A question or its text is empty in {name}: {id}.</source>
        <translation>In {name} ist eine Frage oder ihr Text leer: {id}.</translation>
    </message>
    <message>
        <source>Leave it out.</source>
        <translation>Lassen Sie die Frage weg.</translation>
    </message>
    <message numerus="yes">
        <source>{name} has different answers to one question on one text: {some} and {n} more.</source>
        <comment>{name} has different answers to one question on one text: {some} and {n} more.</comment>
        <translation>
            <numerusform>{name} hat verschiedene Antworten auf dieselbe Frage zum selben Text: {some} und {n} weitere.</numerusform>
            <numerusform>{name} hat verschiedene Antworten auf dieselbe Frage zum selben Text: {some} und {n} weitere.</numerusform>
        </translation>
    </message>
    <message>
        <source>{name} has different answers to one question on one text: {some}.</source>
        <translation>{name} hat verschiedene Antworten auf dieselbe Frage zum selben Text: {some}.</translation>
    </message>
    <message>
        <source>Keep the right ones.</source>
        <translation>Behalten Sie die richtigen.</translation>
    </message>
    <message numerus="yes">
        <source>Taught on this computer from {n:,} correction; it began with {base}.</source>
        <comment>Taught on this computer from {n:,} corrections; it began with {base}.</comment>
        <translation>
            <numerusform>Auf diesem Computer mit {n:,} Korrektur angelernt; Ausgangsmodell: {base}.</numerusform>
            <numerusform>Auf diesem Computer mit {n:,} Korrekturen angelernt; Ausgangsmodell: {base}.</numerusform>
        </translation>
    </message>
    <message>
        <source>{name} could not be written</source>
        <translation>{name} konnte nicht geschrieben werden</translation>
    </message>
    <message>
        <source>{file} could not be written</source>
        <translation>{file} konnte nicht geschrieben werden</translation>
    </message>
    <message>
        <source>There is no version “{name}” of the reader.</source>
        <translation>Es gibt keine Version „{name}“ des Lesemodells.</translation>
    </message>
    <message>
        <source>Teach one.</source>
        <translation>Lernen Sie zuerst das Lesemodell an.</translation>
    </message>
    <message>
        <source>The reader is being taught already</source>
        <translation>Das Lesemodell wird bereits angelernt</translation>
    </message>
    <message>
        <source>Wait until that has ended, or stop it.</source>
        <translation>Warten Sie, bis das beendet ist, oder stoppen Sie es.</translation>
    </message>
    <message>
        <source>The teaching could not be discarded</source>
        <translation>Das Anlernen konnte nicht verworfen werden</translation>
    </message>
    <message>
        <source>{fault} The classifier has to be taught again.</source>
        <translation>{fault} Der Klassifikator muss neu angelernt werden.</translation>
    </message>
    <message>
        <source>{name} could not be written: {reason}.</source>
        <translation>{name} konnte nicht geschrieben werden: {reason}.</translation>
    </message>
    <message>
        <source>Some labels have fewer than {enough} examples: {labels}.</source>
        <translation>Einige Labels haben weniger als {enough} Beispiele: {labels}.</translation>
    </message>
    <message>
        <source>Label some more texts.</source>
        <translation>Labeln Sie noch einige Texte.</translation>
    </message>
    <message>
        <source>Learning</source>
        <translation>Lernen</translation>
    </message>
    <message numerus="yes">
        <source>Taught on this computer from {n:,} text of “{dataset}”: {labels}.</source>
        <comment>Taught on this computer from {n:,} texts of “{dataset}”: {labels}.</comment>
        <translation>
            <numerusform>Auf diesem Computer mit {n:,} Text von „{dataset}“ angelernt: {labels}.</numerusform>
            <numerusform>Auf diesem Computer mit {n:,} Texten von „{dataset}“ angelernt: {labels}.</numerusform>
        </translation>
    </message>
    <message>
        <source>Free some space.</source>
        <translation>Geben Sie Speicherplatz frei.</translation>
    </message>
    <message>
        <source>Checking, part {number} of {parts}</source>
        <translation>Prüfung, Teil {number} von {parts}</translation>
    </message>
    <message>
        <source>Classifying the texts</source>
        <translation>Texte werden klassifiziert</translation>
    </message>
    <message>
        <source>Reading the texts</source>
        <translation>Texte werden gelesen</translation>
    </message>
    <message>
        <source>There is no base model “{name}”.</source>
        <translation>Es gibt kein Basismodell „{name}“.</translation>
    </message>
    <message>
        <source>There is no teacher “{name}”.</source>
        <translation>Es gibt kein Lehrermodell „{name}“.</translation>
    </message>
    <message>
        <source>{base} reads at most {most} tokens at a time.</source>
        <translation>{base} liest höchstens {most} Tokens auf einmal.</translation>
    </message>
    <message>
        <source>The length asked for is {value}.</source>
        <translation>Die verlangte Länge ist {value}.</translation>
    </message>
    <message>
        <source>The output would overwrite the base model.</source>
        <translation>Die Ausgabe würde das Basismodell überschreiben.</translation>
    </message>
    <message>
        <source>Give another folder.</source>
        <translation>Geben Sie einen anderen Ordner an.</translation>
    </message>
    <message>
        <source>The output would overwrite the teacher.</source>
        <translation>Die Ausgabe würde das Lehrermodell überschreiben.</translation>
    </message>
    <message>
        <source>There is no training for “{task}”.</source>
        <translation>Es gibt kein Training für „{task}“.</translation>
    </message>
    <message>
        <source>Choose qa, classification, tokens or pretraining.</source>
        <translation>Wählen Sie qa, classification, tokens oder pretraining.</translation>
    </message>
    <message>
        <source>Training needs examples and dev files.</source>
        <translation>Zum Trainieren sind Dateien mit Beispielen und mit Dev-Daten nötig.</translation>
    </message>
    <message>
        <source>Give at least one of each.</source>
        <translation>Geben Sie mindestens je eine an.</translation>
    </message>
    <message>
        <source>There is no file “{file}”.</source>
        <translation>Es gibt keine Datei „{file}“.</translation>
    </message>
    <message>
        <source>“{file}” is a file.</source>
        <translation>„{file}“ ist eine Datei.</translation>
    </message>
    <message>
        <source>Give a folder for the model.</source>
        <translation>Geben Sie einen Ordner für das Modell an.</translation>
    </message>
    <message>
        <source>The epochs must be a number above 0.</source>
        <translation>Die Zahl der Epochen muss größer als 0 sein.</translation>
    </message>
    <message>
        <source>The learning rate must be a number above 0.</source>
        <translation>Die Lernrate muss eine Zahl größer als 0 sein.</translation>
    </message>
    <message>
        <source>The batch size must be a number above 0.</source>
        <translation>Die Batchgröße muss eine Zahl größer als 0 sein.</translation>
    </message>
    <message>
        <source>The evaluation interval must be a number above 0.</source>
        <translation>Der Abstand der Auswertungen muss eine Zahl größer als 0 sein.</translation>
    </message>
    <message>
        <source>It is {value:g}.</source>
        <translation>Der Wert ist {value:g}.</translation>
    </message>
    <message>
        <source>The length must be at least {least} tokens.</source>
        <translation>Die Länge muss mindestens {least} Tokens betragen.</translation>
    </message>
    <message>
        <source>It is {value}.</source>
        <translation>Der Wert ist {value}.</translation>
    </message>
    <message>
        <source>The dropout must be from 0 to less than 1.</source>
        <translation>Der Dropout muss mindestens 0 und kleiner als 1 sein.</translation>
    </message>
    <message>
        <source>The warm-up is a share of all steps, 0 to 1.</source>
        <translation>Das Warm-up ist ein Anteil aller Schritte, 0 bis 1.</translation>
    </message>
    <message>
        <source>The weight decay must be 0 or more.</source>
        <translation>Der Weight Decay muss 0 oder größer sein.</translation>
    </message>
    <message>
        <source>The seed must be a whole number from 0 on.</source>
        <translation>Der Seed muss eine ganze Zahl ab 0 sein.</translation>
    </message>
    <message>
        <source>Give a checkpoint&apos;s folder or an installed name.</source>
        <translation>Geben Sie den Ordner eines Checkpoints oder einen installierten Namen an.</translation>
    </message>
    <message>
        <source>Nothing can be kept: {folder} cannot be written to.</source>
        <translation>Nichts kann gespeichert werden: In {folder} kann nicht geschrieben werden.</translation>
    </message>
    <message>
        <source>Everything works, but texts, questions and settings are forgotten when Spanlight is closed.</source>
        <translation>Alles funktioniert, aber Texte, Fragen und Einstellungen werden vergessen, wenn Spanlight geschlossen wird.</translation>
    </message>
    <message>
        <source>The model chosen for this, {chosen}, cannot be used now: {model} is used instead.</source>
        <translation>Das hierfür gewählte Modell, {chosen}, kann derzeit nicht verwendet werden: Stattdessen wird {model} verwendet.</translation>
    </message>
    <message>
        <source>The file of tables</source>
        <translation>Die Datei mit den Tabellen</translation>
    </message>
    <message>
        <source>There is a table “{table}” already.</source>
        <translation>Es gibt schon eine Tabelle „{table}“.</translation>
    </message>
    <message>
        <source>Choose another name.</source>
        <translation>Wählen Sie einen anderen Namen.</translation>
    </message>
    <message>
        <source>This question&apos;s table was removed.</source>
        <translation>Die Tabelle dieser Frage wurde entfernt.</translation>
    </message>
    <message>
        <source>Nothing was noted.</source>
        <translation>Nichts wurde festgehalten.</translation>
    </message>
    <message>
        <source>The file of corrections</source>
        <translation>Die Datei mit den Korrekturen</translation>
    </message>
    <message>
        <source>{file} was written by a newer Spanlight.</source>
        <translation>{file} wurde von einem neueren Spanlight geschrieben.</translation>
    </message>
    <message>
        <source>Update this one to use it.</source>
        <translation>Aktualisieren Sie Spanlight, um das zu verwenden.</translation>
    </message>
    <message>
        <source>{file} is in use by another program just now.</source>
        <translation>{file} wird gerade von einem anderen Programm verwendet.</translation>
    </message>
    <message>
        <source>Try again in a moment.</source>
        <translation>Versuchen Sie es gleich noch einmal.</translation>
    </message>
    <message>
        <source>{file} could not be written: the disk is full.</source>
        <translation>{file} konnte nicht geschrieben werden: Der Datenträger ist voll.</translation>
    </message>
    <message>
        <source>{file} in {folder} could not be used: {reason}.</source>
        <translation>{file} in {folder} konnte nicht verwendet werden: {reason}.</translation>
    </message>
    <message>
        <source>{file} was damaged and has been set aside.</source>
        <translation>{file} war beschädigt und wurde beiseitegelegt.</translation>
    </message>
    <message>
        <source>A new one is begun; the old file is {name} in {folder}.</source>
        <translation>Es wird neu begonnen; die alte Datei ist {name} in {folder}.</translation>
    </message>
    <message>
        <source>The file of labels</source>
        <translation>Die Datei mit den Labels</translation>
    </message>
    <message>
        <source>Another window has changed these labels.</source>
        <translation>Ein anderes Fenster hat diese Labels geändert.</translation>
    </message>
    <message>
        <source>Look at them again.</source>
        <translation>Sehen Sie sie sich noch einmal an.</translation>
    </message>
    <message>
        <source>There is a table “{name}” already.</source>
        <translation>Es gibt schon eine Tabelle „{name}“.</translation>
    </message>
    <message>
        <source>This table of labels was removed.</source>
        <translation>Diese Tabelle mit Labels wurde entfernt.</translation>
    </message>
    <message>
        <source>The label was not saved.</source>
        <translation>Das Label wurde nicht gespeichert.</translation>
    </message>
    <message>
        <source>The history</source>
        <translation>Der Verlauf</translation>
    </message>
    <message>
        <source>The history has no entry {number}.</source>
        <translation>Der Verlauf hat keinen Eintrag {number}.</translation>
    </message>
    <message>
        <source>It may have been deleted.</source>
        <translation>Vielleicht wurde er gelöscht.</translation>
    </message>
    <message>
        <source>The file has changed or is gone since it was found.</source>
        <translation>Seit die Datei gefunden wurde, hat sie sich geändert oder ist nicht mehr da.</translation>
    </message>
    <message numerus="yes">
        <source>The text of {n:,} page was recognised in its picture.</source>
        <comment>The text of {n:,} pages was recognised in their pictures.</comment>
        <translation>
            <numerusform>Der Text von {n:,} Seite wurde in ihrem Bild erkannt.</numerusform>
            <numerusform>Der Text von {n:,} Seiten wurde in ihren Bildern erkannt.</numerusform>
        </translation>
    </message>
    <message>
        <source>The library</source>
        <translation>Die Bibliothek</translation>
    </message>
    <message>
        <source>There is no library “{name}”.</source>
        <translation>Es gibt keine Bibliothek „{name}“.</translation>
    </message>
    <message>
        <source>There are: {names}.</source>
        <translation>Vorhanden: {names}.</translation>
    </message>
    <message>
        <source>Add a folder first: it becomes one.</source>
        <translation>Fügen Sie zuerst einen Ordner hinzu: Er wird zur Bibliothek.</translation>
    </message>
    <message>
        <source>A library needs a name.</source>
        <translation>Eine Bibliothek braucht einen Namen.</translation>
    </message>
    <message>
        <source>There is a library “{name}” already.</source>
        <translation>Es gibt schon eine Bibliothek „{name}“.</translation>
    </message>
    <message>
        <source>The library “{library}” was removed.</source>
        <translation>Die Bibliothek „{library}“ wurde entfernt.</translation>
    </message>
    <message>
        <source>Add its folder again to have it back.</source>
        <translation>Fügen Sie ihren Ordner wieder hinzu, um sie wiederherzustellen.</translation>
    </message>
    <message>
        <source>This computer&apos;s SQLite cannot search texts.</source>
        <translation>Das SQLite dieses Computers kann Texte nicht durchsuchen.</translation>
    </message>
    <message>
        <source>Install a Python that brings SQLite with FTS5.</source>
        <translation>Installieren Sie ein Python, das SQLite mit FTS5 mitbringt.</translation>
    </message>
    <message>
        <source>Choose another precision, or auto.</source>
        <translation>Wählen Sie eine andere Genauigkeit oder auto.</translation>
    </message>
    <message>
        <source>Choose the device auto or cpu.</source>
        <translation>Wählen Sie das Gerät „auto“ oder „cpu“.</translation>
    </message>
    <message numerus="yes">
        <source>{n} core</source>
        <comment>{n} cores</comment>
        <translation>
            <numerusform>{n} Kern</numerusform>
            <numerusform>{n} Kerne</numerusform>
        </translation>
    </message>
    <message>
        <source>{cores}; bfloat16 with {instructions} is fastest</source>
        <translation>{cores}; am schnellsten ist bfloat16 mit {instructions}</translation>
    </message>
    <message>
        <source>{cores}; float32 is faster than bfloat16 with {instructions}</source>
        <translation>{cores}; float32 ist schneller als bfloat16 mit {instructions}</translation>
    </message>
    <message>
        <source>fastest in {dtype}</source>
        <translation>am schnellsten mit {dtype}</translation>
    </message>
    <message>
        <source>It is not used until Spanlight is started again: {reason}.</source>
        <translation>Die GPU wird bis zum Neustart von Spanlight nicht verwendet: {reason}.</translation>
    </message>
    <message>
        <source>There is no precision called {precision!r}.</source>
        <translation>Es gibt keine Genauigkeit namens {precision!r}.</translation>
    </message>
    <message>
        <source>Choose {precisions}.</source>
        <translation>Zur Wahl stehen {precisions}.</translation>
    </message>
    <message>
        <source>chosen in the settings</source>
        <translation>in den Einstellungen gewählt</translation>
    </message>
    <message>
        <source>There is no device called {wanted!r}.</source>
        <translation>Es gibt kein Gerät namens {wanted!r}.</translation>
    </message>
    <message>
        <source>Choose auto, cpu, cuda or mps.</source>
        <translation>Wählen Sie auto, cpu, cuda oder mps.</translation>
    </message>
    <message>
        <source>{reason}; bfloat16 with {instructions}</source>
        <translation>{reason}; bfloat16 mit {instructions}</translation>
    </message>
    <message>
        <source>{reason}; float32, faster here than bfloat16 with {instructions}</source>
        <translation>{reason}; float32, hier schneller als bfloat16 mit {instructions}</translation>
    </message>
    <message>
        <source>This processor has no instructions for {precision}.</source>
        <translation>Dieser Prozessor hat keine Befehle für {precision}.</translation>
    </message>
    <message>
        <source>{reason}; {precision} chosen</source>
        <translation>{reason}; {precision} gewählt</translation>
    </message>
    <message>
        <source>the GPU {gpu} does not compute in {precision}</source>
        <translation>die GPU {gpu} rechnet nicht mit {precision}</translation>
    </message>
    <message>
        <source>{reason}, faster than the CPU</source>
        <translation>{reason}, schneller als die CPU</translation>
    </message>
    <message>
        <source>{reason}; {other}</source>
        <translation>{reason}; {other}</translation>
    </message>
    <message>
        <source>{gpu} is not used: {reason}</source>
        <translation>{gpu} wird nicht verwendet: {reason}</translation>
    </message>
    <message>
        <source>no GPU that PyTorch can use was found</source>
        <translation>keine GPU gefunden, die PyTorch verwenden kann</translation>
    </message>
    <message>
        <source>{gpu} cannot be used: {reason}.</source>
        <translation>{gpu} kann nicht verwendet werden: {reason}.</translation>
    </message>
    <message>
        <source>The GPU {gpu} does not compute in {precision}.</source>
        <translation>Die GPU {gpu} rechnet nicht mit {precision}.</translation>
    </message>
    <message>
        <source>{gpu}; {precision} chosen</source>
        <translation>{gpu}; {precision} gewählt</translation>
    </message>
    <message>
        <source>No NVIDIA or AMD GPU that PyTorch can use was found.</source>
        <translation>Es wurde keine NVIDIA- oder AMD-GPU gefunden, die PyTorch verwenden kann.</translation>
    </message>
    <message>
        <source>There is no GPU number {number}.</source>
        <translation>Es gibt keine GPU Nummer {number}.</translation>
    </message>
    <message>
        <source>They are numbered 0 to {last}.</source>
        <translation>Die Nummern gehen von 0 bis {last}.</translation>
    </message>
    <message>
        <source>No Apple GPU that PyTorch can use was found.</source>
        <translation>Es wurde keine Apple-GPU gefunden, die PyTorch verwenden kann.</translation>
    </message>
    <message>
        <source>This computer&apos;s memory ran out</source>
        <translation>Der Speicher dieses Computers reicht nicht aus</translation>
    </message>
    <message>
        <source>The Apple GPU&apos;s memory ran out</source>
        <translation>Der Speicher der Apple-GPU reicht nicht aus</translation>
    </message>
    <message>
        <source>This computer has too little free memory for the model.</source>
        <translation>Dieser Computer hat zu wenig freien Speicher für das Modell.</translation>
    </message>
    <message>
        <source>The GPU has too little free memory for the model.</source>
        <translation>Die GPU hat zu wenig freien Speicher für das Modell.</translation>
    </message>
    <message>
        <source>Choose the device cpu, or close what uses the GPU.</source>
        <translation>Wählen Sie das Gerät „cpu“ oder schließen Sie Programme, die die GPU nutzen.</translation>
    </message>
    <message>
        <source>The GPU&apos;s memory ran out</source>
        <translation>Der Speicher der GPU reicht nicht aus</translation>
    </message>
    <message>
        <source>The GPU broke down: {text}.</source>
        <translation>Die GPU ist ausgefallen: {text}.</translation>
    </message>
    <message>
        <source>Choose the device cpu, or renew the GPU&apos;s driver.</source>
        <translation>Wählen Sie das Gerät „cpu“ oder aktualisieren Sie den Treiber der GPU.</translation>
    </message>
    <message>
        <source>the GPU has too little free memory for the model</source>
        <translation>die GPU hat zu wenig freien Speicher für das Modell</translation>
    </message>
    <message>
        <source>the GPU broke down: {text}</source>
        <translation>die GPU ist ausgefallen: {text}</translation>
    </message>
    <message>
        <source>the GPU broke down</source>
        <translation>die GPU ist ausgefallen</translation>
    </message>
    <message>
        <source>{ran_out}: less is read at a time.</source>
        <translation>{ran_out}: Es wird weniger auf einmal gelesen.</translation>
    </message>
    <message>
        <source>The tokenizer gave a token that the model does not know.</source>
        <translation>Der Tokenizer hat ein Token geliefert, das das Modell nicht kennt.</translation>
    </message>
    <message>
        <source>Tokenizer and weights do not belong together: fetch a whole copy of this model.</source>
        <translation>Tokenizer und Gewichte gehören nicht zusammen: Holen Sie eine vollständige Kopie dieses Modells.</translation>
    </message>
    <message>
        <source>PyTorch cannot compute on the GPU {gpu}: a product comes out wrong or not at all</source>
        <translation>PyTorch kann auf der GPU {gpu} nicht rechnen: Ein Produkt kommt falsch oder gar nicht heraus</translation>
    </message>
    <message>
        <source>PyTorch cannot compute on the Apple GPU: a product comes out wrong</source>
        <translation>PyTorch kann auf der Apple-GPU nicht rechnen: Ein Produkt kommt falsch heraus</translation>
    </message>
    <message>
        <source>this PyTorch is built without the Apple GPU</source>
        <translation>dieses PyTorch wurde ohne Unterstützung für die Apple-GPU gebaut</translation>
    </message>
    <message>
        <source>macOS {version} is too old for PyTorch to use the Apple GPU</source>
        <translation>macOS {version} ist zu alt: PyTorch kann die Apple-GPU damit nicht verwenden</translation>
    </message>
    <message>
        <source>PyTorch does not compute on AMD GPUs on Windows</source>
        <translation>PyTorch rechnet unter Windows nicht auf AMD-GPUs</translation>
    </message>
    <message>
        <source>this PyTorch is a CPU build: it cannot use the {maker} GPU</source>
        <translation>dieses PyTorch ist ein CPU-Build: Es kann die {maker}-GPU nicht verwenden</translation>
    </message>
    <message>
        <source>this PyTorch is built for {built_for} GPUs, not for {maker}&apos;s</source>
        <translation>dieses PyTorch ist für {built_for}-GPUs gebaut, nicht für die von {maker}</translation>
    </message>
    <message>
        <source>the driver is older than this PyTorch needs: it knows CUDA {known} at the most, PyTorch was built for CUDA {built}</source>
        <translation>der Treiber ist älter, als dieses PyTorch es verlangt: Er kennt höchstens CUDA {known}, PyTorch wurde für CUDA {built} gebaut</translation>
    </message>
    <message>
        <source>the driver {driver} is older than this PyTorch needs: it knows CUDA {known} at the most, PyTorch was built for CUDA {built}</source>
        <translation>der Treiber {driver} ist älter, als dieses PyTorch es verlangt: Er kennt höchstens CUDA {known}, PyTorch wurde für CUDA {built} gebaut</translation>
    </message>
    <message>
        <source>it is hidden from PyTorch by the environment variable {name}</source>
        <translation>sie ist durch die Umgebungsvariable {name} vor PyTorch verborgen</translation>
    </message>
    <message>
        <source>no {maker} driver answers: it is not installed, or not running</source>
        <translation>kein {maker}-Treiber antwortet: Er ist nicht installiert oder läuft nicht</translation>
    </message>
    <message>
        <source>it finds no GPU</source>
        <translation>er findet keine GPU</translation>
    </message>
    <message>
        <source>the {maker} driver does not work with PyTorch: {reason}</source>
        <translation>der {maker}-Treiber funktioniert nicht mit PyTorch: {reason}</translation>
    </message>
    <message>
        <source>this PyTorch has no kernels for the GPU {gpu} ({name}), only for {built}</source>
        <translation>dieses PyTorch hat keine Kernel für die GPU {gpu} ({name}), nur für {built}</translation>
    </message>
    <message>
        <source>the GPU {gpu} (compute capability {capability}) is too old for this PyTorch, which needs {least} or newer</source>
        <translation>die GPU {gpu} (Compute Capability {capability}) ist zu alt für dieses PyTorch, das {least} oder neuer braucht</translation>
    </message>
    <message>
        <source>the GPU {gpu} (compute capability {capability}) is newer than this PyTorch knows: install a newer PyTorch</source>
        <translation>die GPU {gpu} (Compute Capability {capability}) ist zu neu für dieses PyTorch: Installieren Sie ein neueres</translation>
    </message>
    <message>
        <source>tokenizer.json of {name} cannot be understood.</source>
        <translation>tokenizer.json von {name} lässt sich nicht auswerten.</translation>
    </message>
    <message>
        <source>Fetch it again.</source>
        <translation>Holen Sie die Datei noch einmal.</translation>
    </message>
    <message>
        <source>The weights of {name} cannot be loaded.</source>
        <translation>Die Gewichte von {name} können nicht geladen werden.</translation>
    </message>
    <message>
        <source>Fetch the model again.</source>
        <translation>Holen Sie das Modell noch einmal.</translation>
    </message>
    <message>
        <source>The weights {weights} of {name} are not all finite numbers.</source>
        <translation>Die Gewichte {weights} von {name} sind nicht alle endliche Zahlen.</translation>
    </message>
    <message>
        <source>Fetch a whole copy of this model.</source>
        <translation>Holen Sie eine vollständige Kopie dieses Modells.</translation>
    </message>
    <message>
        <source>{name} lacks the weights {weights} and {n} more.</source>
        <translation>In {name} fehlen die Gewichte {weights} und {n} weitere.</translation>
    </message>
    <message>
        <source>{name} lacks the weights {weights}.</source>
        <translation>In {name} fehlen die Gewichte {weights}.</translation>
    </message>
    <message>
        <source>{name} holds in a wrong shape the weights {weights} and {n} more.</source>
        <translation>In {name} haben die Gewichte {weights} und {n} weitere eine falsche Form.</translation>
    </message>
    <message>
        <source>{name} holds in a wrong shape the weights {weights}.</source>
        <translation>In {name} haben die Gewichte {weights} eine falsche Form.</translation>
    </message>
    <message>
        <source>{file} of “{name}” could not be unpacked</source>
        <translation>{file} aus „{name}“ konnte nicht entpackt werden</translation>
    </message>
    <message>
        <source>“{file}” cannot be read: {reason}.</source>
        <translation>„{file}“ kann nicht gelesen werden: {reason}.</translation>
    </message>
    <message>
        <source>Check the file and its permissions.</source>
        <translation>Prüfen Sie die Datei und ihre Zugriffsrechte.</translation>
    </message>
    <message>
        <source>“{name}” holds more than {most:,} files, which no model does.</source>
        <translation>„{name}“ enthält mehr als {most:,} Dateien; so viele hat kein Modell.</translation>
    </message>
    <message>
        <source>Unpack it with another program, and import the model&apos;s folder.</source>
        <translation>Entpacken Sie die Datei mit einem anderen Programm und importieren Sie den Ordner des Modells.</translation>
    </message>
    <message>
        <source>“{name}” is protected with a password.</source>
        <translation>„{name}“ ist mit einem Passwort geschützt.</translation>
    </message>
    <message>
        <source>“{name}” holds two files of one name, and was not unpacked.</source>
        <translation>„{name}“ enthält zwei Dateien gleichen Namens und wurde nicht entpackt.</translation>
    </message>
    <message>
        <source>“{name}” holds links or files that would be unpacked outside of it, and was not unpacked.</source>
        <translation>„{name}“ enthält Links oder Dateien, die außerhalb entpackt würden, und wurde nicht entpackt.</translation>
    </message>
    <message>
        <source>Do not use this model: a sound one holds nothing of the kind.</source>
        <translation>Verwenden Sie dieses Modell nicht: Ein einwandfreies enthält nichts dergleichen.</translation>
    </message>
    <message>
        <source>“{name}” holds several models: {names}.</source>
        <translation>„{name}“ enthält mehrere Modelle: {names}.</translation>
    </message>
    <message>
        <source>“{name}” holds several models: one at its top, {names}.</source>
        <translation>„{name}“ enthält mehrere Modelle: eines auf oberster Ebene, {names}.</translation>
    </message>
    <message>
        <source>Unpack it, and import the folder of the one you want.</source>
        <translation>Entpacken Sie die Datei und importieren Sie den Ordner des gewünschten Modells.</translation>
    </message>
    <message>
        <source>“{name}” holds no model.</source>
        <translation>„{name}“ enthält kein Modell.</translation>
    </message>
    <message>
        <source>A model&apos;s zip has config.json, model.safetensors, tokenizer.json at its top or in one folder.</source>
        <translation>Die ZIP-Datei eines Modells enthält config.json, model.safetensors, tokenizer.json auf oberster Ebene oder in einem gemeinsamen Ordner.</translation>
    </message>
    <message>
        <source>“{name}” holds its weights only as {pickle}, a format that can carry programs.</source>
        <translation>„{name}“ enthält die Gewichte nur als {pickle}, ein Format, das ausführbaren Code enthalten kann.</translation>
    </message>
    <message>
        <source>Convert it to model.safetensors, or fetch the safetensors version of this model.</source>
        <translation>Wandeln Sie sie in model.safetensors um oder holen Sie die safetensors-Version dieses Modells.</translation>
    </message>
    <message>
        <source>“{name}” is packed in a way that Spanlight does not unpack.</source>
        <translation>„{name}“ ist auf eine Weise gepackt, die Spanlight nicht entpackt.</translation>
    </message>
    <message>
        <source>“{name}” would unpack to far more than a model, and was not unpacked.</source>
        <translation>„{name}“ wäre entpackt weit größer als ein Modell und wurde nicht entpackt.</translation>
    </message>
    <message>
        <source>Do not use it: a sound model packs to no such size.</source>
        <translation>Verwenden Sie die Datei nicht: Ein einwandfreies Modell lässt sich nicht so stark packen.</translation>
    </message>
    <message>
        <source>“{name}” is damaged: it cannot be unpacked whole.</source>
        <translation>„{name}“ ist beschädigt: Die Datei lässt sich nicht vollständig entpacken.</translation>
    </message>
    <message>
        <source>{name} cannot be read: {reason}.</source>
        <translation>{name} kann nicht gelesen werden: {reason}.</translation>
    </message>
    <message>
        <source>Check its files.</source>
        <translation>Prüfen Sie die Dateien.</translation>
    </message>
    <message>
        <source>{name} has no tokenizer.json.</source>
        <translation>In {name} fehlt tokenizer.json.</translation>
    </message>
    <message>
        <source>Fetch that file, or save the tokenizer again with transformers, which writes it.</source>
        <translation>Holen Sie diese Datei oder speichern Sie den Tokenizer noch einmal mit transformers, das sie schreibt.</translation>
    </message>
    <message>
        <source>There is no model folder {name}.</source>
        <translation>Es gibt keinen Modellordner {name}.</translation>
    </message>
    <message>
        <source>{name} has no config.json.</source>
        <translation>In {name} fehlt config.json.</translation>
    </message>
    <message>
        <source>A model folder needs config.json, model.safetensors, tokenizer.json.</source>
        <translation>Ein Modellordner braucht config.json, model.safetensors, tokenizer.json.</translation>
    </message>
    <message>
        <source>{name} holds weights in the format {dtype}, as quantised models do.</source>
        <translation>{name} enthält Gewichte im Format {dtype}, wie es quantisierte Modelle haben.</translation>
    </message>
    <message>
        <source>config.json of {name} cannot be right: {key} is {value}.</source>
        <translation>config.json von {name} kann nicht stimmen: {key} ist {value}.</translation>
    </message>
    <message numerus="yes">
        <source>{name} holds {n} layer where its config names {layers}.</source>
        <comment>{name} holds {n} layers where its config names {layers}.</comment>
        <translation>
            <numerusform>{name} enthält {n} Schicht, laut Konfiguration wären es {layers}.</numerusform>
            <numerusform>{name} enthält {n} Schichten, laut Konfiguration wären es {layers}.</numerusform>
        </translation>
    </message>
    <message>
        <source>Config and weights do not belong together.</source>
        <translation>Konfiguration und Gewichte gehören nicht zusammen.</translation>
    </message>
    <message>
        <source>config.json of {name} cannot be right: {split} is not a multiple of {n} heads.</source>
        <translation>config.json von {name} kann nicht stimmen: {split} lässt sich nicht gleichmäßig auf {n} Köpfe verteilen.</translation>
    </message>
    <message>
        <source>{name} reads only {n} tokens at a time.</source>
        <translation>{name} liest nur {n} Tokens auf einmal.</translation>
    </message>
    <message>
        <source>The catalogue {file} cannot be read.</source>
        <translation>Der Katalog {file} kann nicht gelesen werden.</translation>
    </message>
    <message>
        <source>Install Spanlight again, or type a model&apos;s name.</source>
        <translation>Installieren Sie Spanlight noch einmal oder geben Sie den Namen eines Modells ein.</translation>
    </message>
    <message>
        <source>Fetch its unquantised version (float32, float16, bfloat16).</source>
        <translation>Holen Sie die nicht quantisierte Version (float32, float16, bfloat16).</translation>
    </message>
    <message>
        <source>{name} {does} ({key} is {value}), which Spanlight does not read.</source>
        <translation>{name} {does} ({key} ist {value}); solche Modelle kann Spanlight nicht lesen.</translation>
    </message>
    <message>
        <source>Choose another model: Spanlight reads {titles}.</source>
        <translation>Wählen Sie ein anderes Modell: Spanlight liest {titles}.</translation>
    </message>
    <message>
        <source>config.json of {name} holds settings that Spanlight does not know: {key}.</source>
        <translation>config.json von {name} enthält Einstellungen, die Spanlight nicht kennt: {key}.</translation>
    </message>
    <message>
        <source>Choose a model of a known family: {titles}.</source>
        <translation>Wählen Sie ein Modell einer bekannten Familie: {titles}.</translation>
    </message>
    <message>
        <source>an object</source>
        <translation>ein Objekt</translation>
    </message>
    <message>
        <source>a list of {n}</source>
        <translation>eine Liste der Länge {n}</translation>
    </message>
    <message>
        <source>config.json of {name} names no family of models.</source>
        <translation>config.json von {name} nennt keine Modellfamilie.</translation>
    </message>
    <message>
        <source>{name} is of the family {family!r}, which Spanlight does not read.</source>
        <translation>{name} gehört zur Familie {family!r}, die Spanlight nicht lesen kann.</translation>
    </message>
    <message>
        <source>It reads {titles}.</source>
        <translation>Lesbar sind {titles}.</translation>
    </message>
    <message>
        <source>{name} brings program code of its own, which Spanlight never runs.</source>
        <translation>{name} bringt eigenen Programmcode mit, den Spanlight nie ausführt.</translation>
    </message>
    <message>
        <source>{name} is quantised, which Spanlight does not read.</source>
        <translation>{name} ist quantisiert; solche Modelle kann Spanlight nicht lesen.</translation>
    </message>
    <message>
        <source>{name} is an addition to another model (its config says {key}), not a whole one.</source>
        <translation>{name} ist ein Zusatz zu einem anderen Modell (laut Konfiguration: {key}), kein vollständiges.</translation>
    </message>
    <message>
        <source>Fetch a version in which both are merged.</source>
        <translation>Holen Sie eine Version, in der beide vereint sind.</translation>
    </message>
    <message>
        <source>config.json of {name} tells the program what to load or run ({key}), which Spanlight never follows.</source>
        <translation>config.json von {name} schreibt dem Programm vor, was es laden oder ausführen soll ({key}); dem folgt Spanlight nie.</translation>
    </message>
    <message>
        <source>Choose another model, or take that key out of the file if you trust it.</source>
        <translation>Wählen Sie ein anderes Modell oder entfernen Sie diesen Schlüssel aus der Datei, wenn Sie ihr vertrauen.</translation>
    </message>
    <message>
        <source>reads a text from left to right only</source>
        <translation>liest einen Text nur von links nach rechts</translation>
    </message>
    <message>
        <source>looks at a second text as a translator does</source>
        <translation>betrachtet einen zweiten Text, wie es ein Übersetzungsmodell tut</translation>
    </message>
    <message>
        <source>writes texts</source>
        <translation>schreibt Texte</translation>
    </message>
    <message>
        <source>tells positions apart in another way</source>
        <translation>unterscheidet Positionen auf andere Weise</translation>
    </message>
    <message>
        <source>{name} is larger than any model that Spanlight reads.</source>
        <translation>{name} ist größer als jedes Modell, das Spanlight liest.</translation>
    </message>
    <message>
        <source>Choose a smaller one.</source>
        <translation>Wählen Sie ein kleineres.</translation>
    </message>
    <message>
        <source>The disk has {free} free, and {needed} are needed.</source>
        <translation>Auf dem Datenträger sind {free} frei, nötig sind {needed}.</translation>
    </message>
    <message>
        <source>{what}: the disk is full.</source>
        <translation>{what}: Der Datenträger ist voll.</translation>
    </message>
    <message>
        <source>Check the permissions of the folder.</source>
        <translation>Prüfen Sie die Zugriffsrechte des Ordners.</translation>
    </message>
    <message>
        <source>Check the permissions of {folder}.</source>
        <translation>Prüfen Sie die Zugriffsrechte von {folder}.</translation>
    </message>
    <message>
        <source>{what}: it may not be written there.</source>
        <translation>{what}: Dort darf nicht geschrieben werden.</translation>
    </message>
    <message>
        <source>Check the disk and the permissions of the folder.</source>
        <translation>Prüfen Sie den Datenträger und die Zugriffsrechte des Ordners.</translation>
    </message>
    <message>
        <source>Check the disk and the permissions of {folder}.</source>
        <translation>Prüfen Sie den Datenträger und die Zugriffsrechte von {folder}.</translation>
    </message>
    <message>
        <source>{what}: {reason}.</source>
        <translation>{what}: {reason}.</translation>
    </message>
    <message>
        <source>answer questions</source>
        <translation>Fragen beantworten</translation>
    </message>
    <message>
        <source>classify texts</source>
        <translation>Texte klassifizieren</translation>
    </message>
    <message>
        <source>fill in words</source>
        <translation>Lücken füllen</translation>
    </message>
    <message>
        <source>tell what follows</source>
        <translation>Folgesätze erkennen</translation>
    </message>
    <message>
        <source>find names</source>
        <translation>Namen finden</translation>
    </message>
    <message>
        <source>find passages by meaning</source>
        <translation>Passagen nach ihrer Bedeutung finden</translation>
    </message>
    <message>
        <source>Choose another model, or train that head on it.</source>
        <translation>Wählen Sie ein anderes Modell oder trainieren Sie diesen Kopf dafür.</translation>
    </message>
    <message>
        <source>It can {abilities}; choose another model for this.</source>
        <translation>Das Modell kann {abilities}; wählen Sie hierfür ein anderes.</translation>
    </message>
    <message>
        <source>{name} cannot {does}: its weights hold no head for that.</source>
        <translation>{name} ist hierfür nicht geeignet ({does}): Die Gewichte enthalten keinen Kopf dafür.</translation>
    </message>
    <message>
        <source>{some}, {another}</source>
        <translation>{some}, {another}</translation>
    </message>
    <message>
        <source>{some} and {last}</source>
        <translation>{some} und {last}</translation>
    </message>
    <message numerus="yes">
        <source>{name} names {n} label, but its classifier has {rows}.</source>
        <comment>{name} names {n} labels, but its classifier has {rows}.</comment>
        <translation>
            <numerusform>{name} nennt {n} Label, der Klassifikator hat aber {rows}.</numerusform>
            <numerusform>{name} nennt {n} Labels, der Klassifikator hat aber {rows}.</numerusform>
        </translation>
    </message>
    <message>
        <source>Put id2label in its config.json right.</source>
        <translation>Berichtigen Sie id2label in der zugehörigen config.json.</translation>
    </message>
    <message>
        <source>id2label in config.json maps 0, 1, 2 ... to the names of the classes.</source>
        <translation>id2label in config.json ordnet 0, 1, 2 ... die Namen der Klassen zu.</translation>
    </message>
    <message>
        <source>The labels of {name} are malformed.</source>
        <translation>Die Labels von {name} sind fehlerhaft.</translation>
    </message>
    <message>
        <source>Two labels of {name} have the same name.</source>
        <translation>Zwei Labels von {name} haben denselben Namen.</translation>
    </message>
    <message>
        <source>config.json of {name} names a problem_type that is not known: {problem!r}.</source>
        <translation>config.json von {name} nennt einen unbekannten problem_type: {problem!r}.</translation>
    </message>
    <message>
        <source>It is one of {kinds}.</source>
        <translation>Möglich sind {kinds}.</translation>
    </message>
    <message>
        <source>{name} holds the weights {weights} as whole numbers.</source>
        <translation>{name} enthält die Gewichte {weights} als ganze Zahlen.</translation>
    </message>
    <message>
        <source>{name} holds in a wrong shape the weights {weights}: {found} where its config says {wanted}.</source>
        <translation>In {name} haben die Gewichte {weights} eine falsche Form: {found}, laut Konfiguration aber {wanted}.</translation>
    </message>
    <message>
        <source>one number</source>
        <translation>eine einzelne Zahl</translation>
    </message>
    <message>
        <source>config.json of {name} cannot be right: {key} is missing.</source>
        <translation>config.json von {name} kann nicht stimmen: {key} fehlt.</translation>
    </message>
    <message>
        <source>There is no model {wanted!r}.</source>
        <translation>Es gibt kein Modell {wanted!r}.</translation>
    </message>
    <message>
        <source>No model that can {does} is installed.</source>
        <translation>Es ist kein Modell installiert, das {does} kann.</translation>
    </message>
    <message>
        <source>Install Spanlight again, which brings one, or put a model&apos;s folder into {folder}.</source>
        <translation>Installieren Sie Spanlight noch einmal, das eines mitbringt, oder legen Sie den Ordner eines Modells in {folder} ab.</translation>
    </message>
    <message>
        <source>its files hold what no model&apos;s do</source>
        <translation>die Dateien enthalten, was in keinem Modell vorkommt</translation>
    </message>
    <message>
        <source>Remove it, or check its files.</source>
        <translation>Entfernen Sie das Modell oder prüfen Sie die Dateien.</translation>
    </message>
    <message>
        <source>No model for this is installed; give a model&apos;s folder.</source>
        <translation>Hierfür ist kein Modell installiert; geben Sie den Ordner eines Modells an.</translation>
    </message>
    <message>
        <source>Installed: {names}.</source>
        <translation>Installiert: {names}.</translation>
    </message>
    <message>
        <source>The files of {name} are gone from the Hugging Face cache.</source>
        <translation>Die Dateien von {name} sind nicht mehr im Hugging-Face-Cache.</translation>
    </message>
    <message>
        <source>Download it again, or remove it.</source>
        <translation>Laden Sie das Modell noch einmal herunter oder entfernen Sie es.</translation>
    </message>
    <message>
        <source>The files that {name} links to are gone.</source>
        <translation>Die Dateien, auf die {name} verweist, sind nicht mehr da.</translation>
    </message>
    <message>
        <source>Put them back, or remove the model and import it again.</source>
        <translation>Legen Sie sie wieder dorthin oder entfernen Sie das Modell und importieren Sie es noch einmal.</translation>
    </message>
    <message>
        <source>process {number}, since {when}</source>
        <translation>Prozess {number}, seit {when}</translation>
    </message>
    <message>
        <source>{busy} ({holder}).</source>
        <translation>{busy} ({holder}).</translation>
    </message>
    <message>
        <source>{busy}.</source>
        <translation>{busy}.</translation>
    </message>
    <message>
        <source>A model cannot be called {name!r}.</source>
        <translation>Ein Modell kann nicht {name!r} heißen.</translation>
    </message>
    <message>
        <source>Call it {safe}, say.</source>
        <translation>Nennen Sie es zum Beispiel {safe}.</translation>
    </message>
    <message>
        <source>a value of another kind than is foreseen there</source>
        <translation>ein Wert von anderer Art als dort vorgesehen</translation>
    </message>
    <message>
        <source>spanlight.json of {name} is malformed: {fault}.</source>
        <translation>spanlight.json von {name} ist fehlerhaft: {fault}.</translation>
    </message>
    <message>
        <source>Put it right, or delete it to use the defaults.</source>
        <translation>Berichtigen Sie die Datei oder löschen Sie sie, um die Standardwerte zu verwenden.</translation>
    </message>
    <message>
        <source>a temperature, threshold or offset out of range</source>
        <translation>eine Temperatur, eine Schwelle oder ein Offset außerhalb des gültigen Bereichs</translation>
    </message>
    <message>
        <source>a measured figure out of range</source>
        <translation>ein Messwert außerhalb des gültigen Bereichs</translation>
    </message>
    <message>
        <source>a window or stride out of range</source>
        <translation>ein Fenster oder eine Überlappung außerhalb des gültigen Bereichs</translation>
    </message>
    <message>
        <source>a reliability that is not {n} bins of shares</source>
        <translation>eine Zuverlässigkeit, die nicht aus {n} Bins mit Anteilen besteht</translation>
    </message>
    <message>
        <source>a finder that is not the name of a folder</source>
        <translation>ein Wert für „finder“, der kein Ordnername ist</translation>
    </message>
    <message>
        <source>a pooling other than {mean}</source>
        <translation>ein anderes Pooling als {mean}</translation>
    </message>
    <message>
        <source>more than {n} languages</source>
        <translation>mehr als {n} Sprachen</translation>
    </message>
    <message>
        <source>origin.json of {name} is malformed, so it cannot be told whether the model is whole.</source>
        <translation>origin.json von {name} ist fehlerhaft; daher lässt sich nicht sagen, ob das Modell vollständig ist.</translation>
    </message>
    <message>
        <source>Remove the model, and import or download it again.</source>
        <translation>Entfernen Sie das Modell und importieren Sie es noch einmal oder laden Sie es noch einmal herunter.</translation>
    </message>
    <message>
        <source>{path} is being written.</source>
        <translation>{path} wird gerade geschrieben.</translation>
    </message>
    <message>
        <source>{file} is larger than any model&apos;s.</source>
        <translation>{file} ist größer, als es bei Modellen vorkommt.</translation>
    </message>
    <message>
        <source>{file} is no SentencePiece model.</source>
        <translation>{file} ist kein SentencePiece-Modell.</translation>
    </message>
    <message>
        <source>{name} splits words by merging pairs, which no family that Spanlight reads does.</source>
        <translation>{name} zerlegt Wörter durch Verschmelzen von Paaren; das tut keine Familie, die Spanlight liest.</translation>
    </message>
    <message>
        <source>Save the tokenizer again with transformers, which writes tokenizer.json.</source>
        <translation>Speichern Sie den Tokenizer noch einmal mit transformers, das tokenizer.json schreibt.</translation>
    </message>
    <message>
        <source>{file} of {name} could not be copied</source>
        <translation>{file} von {name} konnte nicht kopiert werden</translation>
    </message>
    <message>
        <source>{name} could not be installed</source>
        <translation>{name} konnte nicht installiert werden</translation>
    </message>
    <message>
        <source>{name} could not be removed</source>
        <translation>{name} konnte nicht entfernt werden</translation>
    </message>
    <message>
        <source>{name} is being added or removed already.</source>
        <translation>{name} wird bereits hinzugefügt oder entfernt.</translation>
    </message>
    <message>
        <source>Wait until that has ended, or stop it, and try again.</source>
        <translation>Warten Sie, bis das beendet ist, oder stoppen Sie es, und versuchen Sie es erneut.</translation>
    </message>
    <message>
        <source>The weights of {name} were changed while they were loaded.</source>
        <translation>Die Gewichte von {name} wurden beim Laden geändert.</translation>
    </message>
    <message>
        <source>Try again.</source>
        <translation>Versuchen Sie es erneut.</translation>
    </message>
    <message>
        <source>Do not use this model, or fetch a complete copy of it from a source you trust.</source>
        <translation>Verwenden Sie dieses Modell nicht oder holen Sie eine vollständige Kopie aus einer Quelle, der Sie vertrauen.</translation>
    </message>
    <message>
        <source>tokenizer.json of {name} has no vocabulary.</source>
        <translation>tokenizer.json von {name} hat kein Vokabular.</translation>
    </message>
    <message>
        <source>tokenizer.json of {name} has a malformed vocabulary.</source>
        <translation>tokenizer.json von {name} hat ein fehlerhaftes Vokabular.</translation>
    </message>
    <message>
        <source>The tokenizer of {name} knows {known} tokens, its weights only {rows:,}.</source>
        <translation>Der Tokenizer von {name} kennt {known} Tokens, die Gewichte nur {rows:,}.</translation>
    </message>
    <message>
        <source>Tokenizer and weights do not belong together.</source>
        <translation>Tokenizer und Gewichte gehören nicht zusammen.</translation>
    </message>
    <message>
        <source>{number:,}</source>
        <translation>{number:,}</translation>
    </message>
    <message>
        <source>far more</source>
        <translation>weit mehr</translation>
    </message>
    <message>
        <source>tokenizer.json of {name} cuts words in a way that is not known.</source>
        <translation>tokenizer.json von {name} zerlegt Wörter auf eine unbekannte Weise.</translation>
    </message>
    <message>
        <source>The tokenizer of {name} cuts words at random, so that no answer could be had twice.</source>
        <translation>Der Tokenizer von {name} zerlegt Wörter zufällig; keine Antwort ließe sich so reproduzieren.</translation>
    </message>
    <message>
        <source>Fetch a version of the model that was saved for use, not for training.</source>
        <translation>Holen Sie eine Version des Modells, die zum Verwenden gespeichert wurde, nicht zum Trainieren.</translation>
    </message>
    <message>
        <source>tokenizer.json of {name} has words that no model has.</source>
        <translation>tokenizer.json von {name} enthält Wörter, wie sie kein Modell hat.</translation>
    </message>
    <message>
        <source>tokenizer.json of {name} has larger settings than any model&apos;s.</source>
        <translation>tokenizer.json von {name} enthält größere Werte, als sie bei Modellen vorkommen.</translation>
    </message>
    <message>
        <source>tokenizer.json of {name} makes texts longer without end.</source>
        <translation>tokenizer.json von {name} macht Texte endlos länger.</translation>
    </message>
    <message>
        <source>tokenizer.json of {name} has a step that is not known.</source>
        <translation>tokenizer.json von {name} enthält einen unbekannten Schritt.</translation>
    </message>
    <message>
        <source>tokenizer.json of {name} takes more steps than any model&apos;s.</source>
        <translation>tokenizer.json von {name} braucht mehr Schritte, als es bei Modellen vorkommt.</translation>
    </message>
    <message>
        <source>tokenizer.json of {name} adds tokens that no model has.</source>
        <translation>tokenizer.json von {name} fügt Tokens hinzu, die kein Modell hat.</translation>
    </message>
    <message>
        <source>{name} has no tokenizer.json, and no vocabulary that one can be made from.</source>
        <translation>In {name} fehlt tokenizer.json, und es gibt kein Vokabular, aus dem die Datei erzeugt werden könnte.</translation>
    </message>
    <message>
        <source>vocab.json of {name} is no vocabulary.</source>
        <translation>vocab.json von {name} ist kein Vokabular.</translation>
    </message>
    <message>
        <source>merges.txt of {name} merges what its vocabulary does not know: {pair!a}.</source>
        <translation>merges.txt von {name} verschmilzt, was das Vokabular nicht kennt: {pair!a}.</translation>
    </message>
    <message>
        <source>{file} of {name} is not UTF-8.</source>
        <translation>{file} von {name} ist nicht in UTF-8.</translation>
    </message>
    <message>
        <source>{file} does not hold the model&apos;s token {token!a}.</source>
        <translation>In {file} fehlt das Token {token!a} des Modells.</translation>
    </message>
    <message>
        <source>added_tokens.json of {name} is malformed.</source>
        <translation>added_tokens.json von {name} ist fehlerhaft.</translation>
    </message>
    <message>
        <source>Fetch or copy the file again: it is damaged or incomplete.</source>
        <translation>Holen oder kopieren Sie die Datei noch einmal: Sie ist beschädigt oder unvollständig.</translation>
    </message>
    <message>
        <source>{name} lacks its part {part}.</source>
        <translation>In {name} fehlt der Teil {part}.</translation>
    </message>
    <message>
        <source>Fetch or copy the missing file.</source>
        <translation>Holen oder kopieren Sie die fehlende Datei.</translation>
    </message>
    <message>
        <source>{name} holds its weights only as {file}, a format that can carry programs.</source>
        <translation>{name} enthält die Gewichte nur als {file}, ein Format, das ausführbaren Code enthalten kann.</translation>
    </message>
    <message>
        <source>{name} has no model.safetensors.</source>
        <translation>In {name} fehlt model.safetensors.</translation>
    </message>
    <message>
        <source>model.safetensors.index.json of {name} names no weights.</source>
        <translation>model.safetensors.index.json von {name} nennt keine Gewichte.</translation>
    </message>
    <message>
        <source>model.safetensors.index.json of {name} names a file outside the folder.</source>
        <translation>model.safetensors.index.json von {name} nennt eine Datei außerhalb des Ordners.</translation>
    </message>
    <message>
        <source>Do not use this model: it is malformed.</source>
        <translation>Verwenden Sie dieses Modell nicht: Es ist fehlerhaft.</translation>
    </message>
    <message>
        <source>model.safetensors.index.json of {name} names {n:,} parts, which no model needs.</source>
        <translation>model.safetensors.index.json von {name} nennt {n:,} Teile; so viele braucht kein Modell.</translation>
    </message>
    <message>
        <source>{name} lacks the weights {weights} that its index names.</source>
        <translation>In {name} fehlen die Gewichte {weights}, die der Index nennt.</translation>
    </message>
    <message>
        <source>{name} holds the weights {weights} twice.</source>
        <translation>{name} enthält die Gewichte {weights} doppelt.</translation>
    </message>
    <message>
        <source>{name} holds {size} of weights, more than Spanlight loads.</source>
        <translation>Die Gewichte von {name} umfassen {size}, mehr als Spanlight lädt.</translation>
    </message>
    <message>
        <source>Choose a model of at most {size}.</source>
        <translation>Wählen Sie ein Modell von höchstens {size}.</translation>
    </message>
    <message>
        <source>{file} ends before its own header does.</source>
        <translation>{file} endet vor dem Ende des eigenen Headers.</translation>
    </message>
    <message>
        <source>{file} has a header of {n:,} bytes, which no model needs.</source>
        <translation>{file} hat einen Header von {n:,} Byte; so viel braucht kein Modell.</translation>
    </message>
    <message>
        <source>{file} has a header that is malformed.</source>
        <translation>{file} hat einen fehlerhaften Header.</translation>
    </message>
    <message>
        <source>{file} describes {weights} wrongly.</source>
        <translation>{file} beschreibt {weights} falsch.</translation>
    </message>
    <message>
        <source>{file} has weights that overlap or leave gaps.</source>
        <translation>{file} enthält Gewichte, die sich überschneiden oder Lücken lassen.</translation>
    </message>
    <message numerus="yes">
        <source>{file} is cut off: {n:,} byte is missing.</source>
        <comment>{file} is cut off: {n:,} bytes are missing.</comment>
        <translation>
            <numerusform>{file} ist abgeschnitten: {n:,} Byte fehlt.</numerusform>
            <numerusform>{file} ist abgeschnitten: {n:,} Byte fehlen.</numerusform>
        </translation>
    </message>
    <message>
        <source>{file} has bytes that belong to no weight.</source>
        <translation>{file} enthält Bytes, die zu keinen Gewichten gehören.</translation>
    </message>
    <message>
        <source>{file} is not a file that can be read.</source>
        <translation>{file} ist keine lesbare Datei.</translation>
    </message>
    <message>
        <source>Fetch or copy the file again.</source>
        <translation>Holen oder kopieren Sie die Datei noch einmal.</translation>
    </message>
    <message>
        <source>{name} is larger than any model&apos;s.</source>
        <translation>{name} ist größer, als es bei Modellen vorkommt.</translation>
    </message>
    <message>
        <source>{name} is not well-formed JSON.</source>
        <translation>{name} ist kein wohlgeformtes JSON.</translation>
    </message>
    <message>
        <source>{name} is not a JSON object.</source>
        <translation>{name} ist kein JSON-Objekt.</translation>
    </message>
    <message>
        <source>{address} is no address of a Hub.</source>
        <translation>{address} ist keine Adresse eines Hubs.</translation>
    </message>
    <message>
        <source>Write it as https://huggingface.co, or leave it empty.</source>
        <translation>Geben Sie sie in der Form https://huggingface.co an oder lassen Sie das Feld leer.</translation>
    </message>
    <message>
        <source>given up</source>
        <translation>aufgegeben</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>abgelehnt</translation>
    </message>
    <message>
        <source>The answer is larger than any announcement of new versions.</source>
        <translation>Die Antwort ist größer als jede Ankündigung neuer Versionen.</translation>
    </message>
    <message>
        <source>The answer is larger than any that a Hub gives.</source>
        <translation>Die Antwort ist größer als jede, die ein Hub gibt.</translation>
    </message>
    <message>
        <source>Check the Hub&apos;s address under Models, Network.</source>
        <translation>Prüfen Sie die Adresse des Hubs unter „Modelle“, „Netzwerk“.</translation>
    </message>
    <message>
        <source>The address sends on to {target}, which is not safe to follow.</source>
        <translation>Die Adresse leitet weiter zu {target}; dem zu folgen ist nicht sicher.</translation>
    </message>
    <message>
        <source>Check the address; what it sends on to should begin with https.</source>
        <translation>Prüfen Sie die Adresse; das Ziel der Weiterleitung sollte mit https beginnen.</translation>
    </message>
    <message>
        <source>The Hub sends the download on to {target}, which is not safe to follow.</source>
        <translation>Der Hub leitet den Download weiter zu {target}; dem zu folgen ist nicht sicher.</translation>
    </message>
    <message>
        <source>Check the Hub&apos;s address under Models, Network; it should begin with https.</source>
        <translation>Prüfen Sie die Adresse des Hubs unter „Modelle“, „Netzwerk“; sie sollte mit https beginnen.</translation>
    </message>
    <message>
        <source>{file} holds no certificates that can be read.</source>
        <translation>{file} enthält keine lesbaren Zertifikate.</translation>
    </message>
    <message>
        <source>Choose a PEM file under Models, Network, or leave it empty.</source>
        <translation>Wählen Sie unter „Modelle“, „Netzwerk“ eine PEM-Datei oder lassen Sie das Feld leer.</translation>
    </message>
    <message>
        <source>{address} is no proxy that can be used.</source>
        <translation>{address} kann nicht als Proxy verwendet werden.</translation>
    </message>
    <message>
        <source>Write it as http://name:port under Models, Network.</source>
        <translation>Geben Sie ihn unter „Modelle“, „Netzwerk“ in der Form http://name:port an.</translation>
    </message>
    <message>
        <source>The Hub asks to wait.</source>
        <translation>Der Hub bittet zu warten.</translation>
    </message>
    <message>
        <source>{reason} Again in {time}.</source>
        <translation>{reason} Nächster Versuch in {time}.</translation>
    </message>
    <message>
        <source>What was fetched is kept, and the download goes on from there.</source>
        <translation>Was bereits heruntergeladen wurde, bleibt erhalten; der Download wird von dort fortgesetzt.</translation>
    </message>
    <message>
        <source>certificate not trusted</source>
        <translation>Zertifikat nicht vertrauenswürdig</translation>
    </message>
    <message>
        <source>no secure connection</source>
        <translation>keine sichere Verbindung</translation>
    </message>
    <message>
        <source>name not found</source>
        <translation>Name nicht gefunden</translation>
    </message>
    <message>
        <source>no network</source>
        <translation>kein Netzwerk</translation>
    </message>
    <message>
        <source>proxy refused</source>
        <translation>vom Proxy abgelehnt</translation>
    </message>
    <message>
        <source>no connection in time</source>
        <translation>keine rechtzeitige Verbindung</translation>
    </message>
    <message>
        <source>no answer in time</source>
        <translation>keine rechtzeitige Antwort</translation>
    </message>
    <message>
        <source>no connection</source>
        <translation>keine Verbindung</translation>
    </message>
    <message>
        <source>broken off</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>{file} could not be downloaded</source>
        <translation>{file} konnte nicht heruntergeladen werden</translation>
    </message>
    <message>
        <source>{hint} {kept}</source>
        <translation>{hint} {kept}</translation>
    </message>
    <message>
        <source>{host} does not answer as a Hub does.</source>
        <translation>{host} antwortet nicht so, wie ein Hub es tut.</translation>
    </message>
    <message>
        <source>Check the Hub&apos;s address under Models, Network; a login page of the network may stand in between.</source>
        <translation>Prüfen Sie die Adresse des Hubs unter „Modelle“, „Netzwerk“; vielleicht steht eine Anmeldeseite des Netzwerks dazwischen.</translation>
    </message>
    <message>
        <source>The owner of {repository} gives it only to people who have registered.</source>
        <translation>{repository} ist vom Eigentümer nur für registrierte Personen freigegeben.</translation>
    </message>
    <message>
        <source>Register at {address}, sign in with Hugging Face&apos;s own tool (hf auth login), and let Spanlight use it under Models, Network.</source>
        <translation>Registrieren Sie sich unter {address}, melden Sie sich mit dem Werkzeug von Hugging Face an (hf auth login) und lassen Sie Spanlight diese Anmeldung unter „Modelle“, „Netzwerk“ verwenden.</translation>
    </message>
    <message>
        <source>{host} has too many requests from here.</source>
        <translation>{host} erhält von hier zu viele Anfragen.</translation>
    </message>
    <message>
        <source>Try again in some minutes.</source>
        <translation>Versuchen Sie es in einigen Minuten erneut.</translation>
    </message>
    <message>
        <source>{host} has too many requests from here and asks to wait {time}.</source>
        <translation>{host} erhält von hier zu viele Anfragen und bittet, {time} zu warten.</translation>
    </message>
    <message>
        <source>Try again after that.</source>
        <translation>Versuchen Sie es danach erneut.</translation>
    </message>
    <message>
        <source>{host} has switched {repository} off.</source>
        <translation>{host} hat {repository} gesperrt.</translation>
    </message>
    <message>
        <source>{host} does not have that version of {repository} any more.</source>
        <translation>{host} hat diese Version von {repository} nicht mehr.</translation>
    </message>
    <message>
        <source>{repository} does not have that file any more.</source>
        <translation>{repository} enthält diese Datei nicht mehr.</translation>
    </message>
    <message>
        <source>{repository} does not have {file} any more.</source>
        <translation>{repository} enthält {file} nicht mehr.</translation>
    </message>
    <message>
        <source>{host} does not show {repository} to you.</source>
        <translation>{host} zeigt Ihnen {repository} nicht.</translation>
    </message>
    <message>
        <source>Check the name, or sign in with Hugging Face&apos;s own tool (hf auth login), and let Spanlight use it under Models, Network.</source>
        <translation>Prüfen Sie den Namen oder melden Sie sich mit dem Werkzeug von Hugging Face an (hf auth login) und lassen Sie Spanlight diese Anmeldung unter „Modelle“, „Netzwerk“ verwenden.</translation>
    </message>
    <message>
        <source>{host} has no model {repository}, or shows it only to people who sign in.</source>
        <translation>{host} hat kein Modell {repository} oder zeigt es nur angemeldeten Personen.</translation>
    </message>
    <message>
        <source>Check the name. Where you have access: sign in with Hugging Face&apos;s own tool (hf auth login), and let Spanlight use it under Models, Network.</source>
        <translation>Prüfen Sie den Namen. Wenn Sie Zugang haben: Melden Sie sich mit dem Werkzeug von Hugging Face an (hf auth login) und lassen Sie Spanlight diese Anmeldung unter „Modelle“, „Netzwerk“ verwenden.</translation>
    </message>
    <message>
        <source>{host} has less of {file} than it said.</source>
        <translation>{host} hat weniger von {file} als angegeben.</translation>
    </message>
    <message>
        <source>The proxy wants a name and a password.</source>
        <translation>Der Proxy verlangt einen Namen und ein Passwort.</translation>
    </message>
    <message>
        <source>Write them as http://name:password@host:port.</source>
        <translation>Geben Sie beides in der Form http://name:passwort@host:port an.</translation>
    </message>
    <message>
        <source>{host} has a fault of its own at the moment (status {status}).</source>
        <translation>{host} hat im Moment selbst eine Störung (Status {status}).</translation>
    </message>
    <message>
        <source>{host} answered with status {status}.</source>
        <translation>{host} antwortete mit Status {status}.</translation>
    </message>
    <message>
        <source>The proxy {proxy}, which this computer&apos;s settings name, cannot be reached.</source>
        <translation>Der Proxy {proxy}, den die Einstellungen dieses Computers nennen, ist nicht erreichbar.</translation>
    </message>
    <message>
        <source>Check it in the system&apos;s settings, or name another one under Models, Network.</source>
        <translation>Prüfen Sie ihn in den Systemeinstellungen oder geben Sie unter „Modelle“, „Netzwerk“ einen anderen an.</translation>
    </message>
    <message>
        <source>The proxy of this computer does not let the request through.</source>
        <translation>Der Proxy dieses Computers lässt die Anfrage nicht durch.</translation>
    </message>
    <message>
        <source>The proxy {proxy} does not let the request through.</source>
        <translation>Der Proxy {proxy} lässt die Anfrage nicht durch.</translation>
    </message>
    <message>
        <source>Check it under Models, Network.</source>
        <translation>Prüfen Sie ihn unter „Modelle“, „Netzwerk“.</translation>
    </message>
    <message>
        <source>{host} shows a certificate that this computer does not trust.</source>
        <translation>{host} zeigt ein Zertifikat, dem dieser Computer nicht vertraut.</translation>
    </message>
    <message>
        <source>Where your network looks into traffic, give its certificate file under Models, Network.</source>
        <translation>Wenn Ihr Netzwerk den Datenverkehr untersucht, geben Sie unter „Modelle“, „Netzwerk“ dessen Zertifikatsdatei an.</translation>
    </message>
    <message>
        <source>No secure connection to {host} could be made.</source>
        <translation>Es konnte keine sichere Verbindung zu {host} hergestellt werden.</translation>
    </message>
    <message>
        <source>Check the address and the proxy.</source>
        <translation>Prüfen Sie die Adresse und den Proxy.</translation>
    </message>
    <message>
        <source>{host} cannot be found: there seems to be no network.</source>
        <translation>{host} ist nicht zu finden: Es scheint kein Netzwerk zu geben.</translation>
    </message>
    <message>
        <source>Check the connection, then try again.</source>
        <translation>Prüfen Sie die Verbindung und versuchen Sie es dann erneut.</translation>
    </message>
    <message>
        <source>{host} cannot be reached.</source>
        <translation>{host} ist nicht erreichbar.</translation>
    </message>
    <message>
        <source>Check the connection and the address, then try again.</source>
        <translation>Prüfen Sie die Verbindung und die Adresse und versuchen Sie es dann erneut.</translation>
    </message>
    <message>
        <source>{host} gave no connection in {time}.</source>
        <translation>Mit {host} kam innerhalb von {time} keine Verbindung zustande.</translation>
    </message>
    <message>
        <source>{host} sent nothing for {time}.</source>
        <translation>{host} hat {time} lang nichts gesendet.</translation>
    </message>
    <message>
        <source>The connection to {host} broke off again and again.</source>
        <translation>Die Verbindung zu {host} brach immer wieder ab.</translation>
    </message>
    <message>
        <source>{name} could not be put into the Hugging Face cache</source>
        <translation>{name} konnte nicht im Hugging-Face-Cache abgelegt werden</translation>
    </message>
    <message>
        <source>{name} cannot be used.</source>
        <translation>{name} kann nicht verwendet werden.</translation>
    </message>
    <message>
        <source>What was looked up of {repository} does not hold any more.</source>
        <translation>Was über {repository} nachgeschlagen wurde, gilt nicht mehr.</translation>
    </message>
    <message>
        <source>Look it up again.</source>
        <translation>Schlagen Sie das Modell noch einmal nach.</translation>
    </message>
    <message>
        <source>Download {file} of {name}</source>
        <translation>{file} von {name} herunterladen</translation>
    </message>
    <message>
        <source>{file} did not arrive as it is at the Hub: its checksum is wrong.</source>
        <translation>{file} kam nicht so an, wie die Datei auf dem Hub liegt: Die Prüfsumme stimmt nicht.</translation>
    </message>
    <message>
        <source>What came of it was thrown away. Download it again; if it happens again, check the proxy.</source>
        <translation>Was ankam, wurde verworfen. Laden Sie die Datei noch einmal herunter; geschieht es wieder, prüfen Sie den Proxy.</translation>
    </message>
    <message>
        <source>Checking {file}</source>
        <translation>{file} wird geprüft</translation>
    </message>
    <message>
        <source>{file}: another program is fetching it</source>
        <translation>{file}: Ein anderes Programm lädt die Datei gerade herunter</translation>
    </message>
    <message>
        <source>More bytes came for {file} than its size.</source>
        <translation>Für {file} kamen mehr Bytes an, als die Datei groß ist.</translation>
    </message>
    <message>
        <source>{what}: nothing has come for {time}</source>
        <translation>{what}: Seit {time} kam nichts mehr an</translation>
    </message>
    <message>
        <source>The network ledger cannot be written: {reason}.</source>
        <translation>Die Liste der Netzwerkanfragen kann nicht geschrieben werden: {reason}.</translation>
    </message>
    <message>
        <source>Nothing is sent without it. Make room on the disk, or check {path}.</source>
        <translation>Ohne diese Liste wird nichts gesendet. Geben Sie Speicherplatz frei oder prüfen Sie {path}.</translation>
    </message>
    <message>
        <source>{commit} is no commit&apos;s id.</source>
        <translation>{commit} ist keine Commit-ID.</translation>
    </message>
    <message>
        <source>Leave it out to take the newest.</source>
        <translation>Lassen Sie sie weg, um den neuesten Stand zu nehmen.</translation>
    </message>
    <message>
        <source>Looking up {name}</source>
        <translation>{name} wird nachgeschlagen</translation>
    </message>
    <message>
        <source>Look up {name}</source>
        <translation>{name} nachschlagen</translation>
    </message>
    <message>
        <source>Looking into {name}</source>
        <translation>{name} wird untersucht</translation>
    </message>
    <message>
        <source>{name} has {n:,} files, which no model needs.</source>
        <translation>{name} hat {n:,} Dateien; so viele braucht kein Modell.</translation>
    </message>
    <message>
        <source>{name} names a file that leads out of its folder: {file}.</source>
        <translation>{name} nennt eine Datei, die aus dem eigenen Ordner hinausführt: {file}.</translation>
    </message>
    <message>
        <source>Do not use this model.</source>
        <translation>Verwenden Sie dieses Modell nicht.</translation>
    </message>
    <message>
        <source>The Hub tells no size and checksum of {name}, so it could not be checked.</source>
        <translation>Der Hub nennt Größe und Prüfsumme von {name} nicht; der Download ließe sich also nicht prüfen.</translation>
    </message>
    <message>
        <source>Choose another model, or another address of the Hub.</source>
        <translation>Wählen Sie ein anderes Modell oder eine andere Adresse des Hubs.</translation>
    </message>
    <message>
        <source>{name} has {size}, more than any model&apos;s.</source>
        <translation>{name} ist {size} groß; das kommt bei Modellen nicht vor.</translation>
    </message>
    <message>
        <source>The Hub tells a checksum of {name} that is none.</source>
        <translation>Der Hub nennt für {name} eine Prüfsumme, die keine ist.</translation>
    </message>
    <message>
        <source>Look for a version with model.safetensors.</source>
        <translation>Suchen Sie nach einer Version mit model.safetensors.</translation>
    </message>
    <message>
        <source>Look into {name}</source>
        <translation>{name} untersuchen</translation>
    </message>
    <message>
        <source>Look for a version of this model that has one.</source>
        <translation>Suchen Sie nach einer Version dieses Modells, die eines von beiden hat.</translation>
    </message>
    <message>
        <source>{repository} has no {file}.</source>
        <translation>In {repository} fehlt {file}.</translation>
    </message>
    <message>
        <source>A model needs config.json, model.safetensors and tokenizer.json.</source>
        <translation>Ein Modell braucht config.json, model.safetensors und tokenizer.json.</translation>
    </message>
    <message>
        <source>Check for updates</source>
        <translation>Nach Updates suchen</translation>
    </message>
    <message>
        <source>There is no address to ask.</source>
        <translation>Es gibt keine Adresse, die abgefragt werden könnte.</translation>
    </message>
    <message>
        <source>Asking {host}</source>
        <translation>{host} wird abgefragt</translation>
    </message>
    <message>
        <source>Try again in {time}.</source>
        <translation>Versuchen Sie es in {time} erneut.</translation>
    </message>
    <message>
        <source>{host} sends the request round in circles.</source>
        <translation>{host} leitet die Anfrage im Kreis herum.</translation>
    </message>
    <message>
        <source>{host} did not answer whole within {time}.</source>
        <translation>{host} hat nicht innerhalb von {time} vollständig geantwortet.</translation>
    </message>
    <message>
        <source>{host} has nothing at that address.</source>
        <translation>{host} hat nichts unter dieser Adresse.</translation>
    </message>
    <message>
        <source>{host} does not show that address to everybody.</source>
        <translation>{host} zeigt diese Adresse nicht allen.</translation>
    </message>
    <message>
        <source>The connection to {host} broke off.</source>
        <translation>Die Verbindung zu {host} brach ab.</translation>
    </message>
    <message>
        <source>{name} is no name of a model on the Hub.</source>
        <translation>{name} ist kein Name eines Modells auf dem Hub.</translation>
    </message>
    <message>
        <source>Nothing is no name of a model on the Hub.</source>
        <translation>Ein leerer Name ist kein Name eines Modells auf dem Hub.</translation>
    </message>
    <message>
        <source>Names look like deepset/roberta-base-squad2: owner, slash, model.</source>
        <translation>Namen sehen aus wie deepset/roberta-base-squad2: Eigentümer, Schrägstrich, Modell.</translation>
    </message>
    <message>
        <source>BERT, DistilBERT, RoBERTa, XLM-RoBERTa, MPNet, ELECTRA, ALBERT, MobileBERT and DeBERTa</source>
        <translation>BERT, DistilBERT, RoBERTa, XLM-RoBERTa, MPNet, ELECTRA, ALBERT, MobileBERT und DeBERTa</translation>
    </message>
    <message>
        <source>Answers in a text</source>
        <translation>Antworten in einem Text</translation>
    </message>
    <message>
        <source>Classes of a text</source>
        <translation>Klassen eines Textes</translation>
    </message>
    <message>
        <source>Hidden words</source>
        <translation>Verdeckte Wörter</translation>
    </message>
    <message>
        <source>Does it follow?</source>
        <translation>Schließt das an?</translation>
    </message>
    <message>
        <source>Names in a text</source>
        <translation>Namen in einem Text</translation>
    </message>
    <message>
        <source>Two scores for each token</source>
        <translation>Zwei Scores für jedes Token</translation>
    </message>
    <message>
        <source>A score for each class</source>
        <translation>Ein Score für jede Klasse</translation>
    </message>
    <message>
        <source>A score for each word of the vocabulary</source>
        <translation>Ein Score für jedes Wort des Vokabulars</translation>
    </message>
    <message>
        <source>Two scores: continues, does not</source>
        <translation>Zwei Scores: schließt an, schließt nicht an</translation>
    </message>
    <message>
        <source>Scores of the tags for each token</source>
        <translation>Scores der Tags für jedes Token</translation>
    </message>
    <message>
        <source>span classifier</source>
        <translation>Span-Klassifikator</translation>
    </message>
    <message>
        <source>decoder</source>
        <translation>Decoder</translation>
    </message>
    <message>
        <source>classifier</source>
        <translation>Klassifikator</translation>
    </message>
    <message>
        <source>The first token&apos;s state, made ready for the whole text</source>
        <translation>Der Zustand des ersten Tokens, aufbereitet für den ganzen Text</translation>
    </message>
    <message>
        <source>pooler</source>
        <translation>Pooler</translation>
    </message>
    <message>
        <source>transform</source>
        <translation>Transformation</translation>
    </message>
    <message>
        <source>function</source>
        <translation>Funktion</translation>
    </message>
    <message>
        <source>The first token alone</source>
        <translation>Nur das erste Token</translation>
    </message>
    <message>
        <source>sequence output [:, 0]</source>
        <translation>Sequenzausgabe [:, 0]</translation>
    </message>
    <message>
        <source>The mean of all tokens&apos; states, as a unit vector</source>
        <translation>Das Mittel der Zustände aller Tokens, als Einheitsvektor</translation>
    </message>
    <message>
        <source>mean pooling</source>
        <translation>Mean-Pooling</translation>
    </message>
    <message>
        <source>The hidden tokens alone</source>
        <translation>Nur die verdeckten Tokens</translation>
    </message>
    <message>
        <source>masked positions</source>
        <translation>maskierte Positionen</translation>
    </message>
    <message>
        <source>Taken apart: one score for the start, one for the end</source>
        <translation>Getrennt: ein Score für den Anfang, einer für das Ende</translation>
    </message>
    <message>
        <source>start and end logits</source>
        <translation>Start- und End-Logits</translation>
    </message>
    <message>
        <source>{detail}, the same weights as the token embeddings (tied)</source>
        <translation>{detail}, dieselben Gewichte wie die Token-Embeddings (gekoppelt)</translation>
    </message>
    <message>
        <source>the same weights as the token embeddings (tied)</source>
        <translation>dieselben Gewichte wie die Token-Embeddings (gekoppelt)</translation>
    </message>
    <message>
        <source>in {module}</source>
        <translation>in {module}</translation>
    </message>
    <message>
        <source>Each number squeezed between −1 and 1</source>
        <translation>Jede Zahl auf −1 bis 1 gestaucht</translation>
    </message>
    <message>
        <source>Negative numbers pressed towards zero</source>
        <translation>Negative Zahlen gegen null gedrückt</translation>
    </message>
    <message>
        <source>Negative numbers to zero</source>
        <translation>Negative Zahlen auf null gesetzt</translation>
    </message>
    <message>
        <source>Each number squeezed between 0 and 1</source>
        <translation>Jede Zahl auf 0 bis 1 gestaucht</translation>
    </message>
    <message>
        <source>{sizes} → {size:,}</source>
        <translation>{sizes} → {size:,}</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} row of {width:,}</source>
        <comment>{n:,} rows of {width:,}</comment>
        <translation>
            <numerusform>{n:,} Zeile mit {width:,}</numerusform>
            <numerusform>{n:,} Zeilen zu je {width:,}</numerusform>
        </translation>
    </message>
    <message>
        <source>{percent:.0f}% of them</source>
        <translation>{percent:.0f}&#xa0;% davon</translation>
    </message>
    <message>
        <source>{number:,} numbers at a time</source>
        <translation>{number:,} Zahlen auf einmal</translation>
    </message>
    <message>
        <source>Weighted sums</source>
        <translation>Gewichtete Summen</translation>
    </message>
    <message>
        <source>linear layer</source>
        <translation>lineare Schicht</translation>
    </message>
    <message>
        <source>embedding</source>
        <translation>Embedding</translation>
    </message>
    <message>
        <source>Some numbers set to zero, at training only</source>
        <translation>Einige Zahlen auf null gesetzt, nur beim Training</translation>
    </message>
    <message>
        <source>dropout</source>
        <translation>Dropout</translation>
    </message>
    <message>
        <source>Brought to one scale</source>
        <translation>Auf eine Skala gebracht</translation>
    </message>
    <message>
        <source>layer normalisation</source>
        <translation>Layer-Normalisierung</translation>
    </message>
    <message>
        <source>First or second text</source>
        <translation>Erster oder zweiter Text</translation>
    </message>
    <message>
        <source>token type embeddings</source>
        <translation>Token-Typ-Embeddings</translation>
    </message>
    <message>
        <source>Places in the window</source>
        <translation>Stellen im Fenster</translation>
    </message>
    <message>
        <source>position embeddings</source>
        <translation>Positions-Embeddings</translation>
    </message>
    <message>
        <source>How far apart two tokens are</source>
        <translation>Wie weit zwei Tokens auseinanderliegen</translation>
    </message>
    <message>
        <source>relative positions</source>
        <translation>relative Positionen</translation>
    </message>
    <message>
        <source>Word pieces</source>
        <translation>Wortstücke</translation>
    </message>
    <message>
        <source>token embeddings</source>
        <translation>Token-Embeddings</translation>
    </message>
    <message>
        <source>Every token&apos;s state</source>
        <translation>Der Zustand jedes Tokens</translation>
    </message>
    <message>
        <source>sequence output</source>
        <translation>Sequenzausgabe</translation>
    </message>
    <message>
        <source>a vocabulary of {number:,}</source>
        <translation>ein Vokabular von {number:,}</translation>
    </message>
    <message>
        <source>The text&apos;s pieces, each by its number</source>
        <translation>Die Stücke des Textes, jedes mit seiner Nummer</translation>
    </message>
    <message>
        <source>token ids</source>
        <translation>Token-IDs</translation>
    </message>
    <message>
        <source>To the width of the layers</source>
        <translation>Auf die Breite der Schichten</translation>
    </message>
    <message>
        <source>projection of the embeddings</source>
        <translation>Projektion der Embeddings</translation>
    </message>
    <message>
        <source>The same for every token</source>
        <translation>Gleich für jedes Token</translation>
    </message>
    <message>
        <source>Added up</source>
        <translation>Aufsummiert</translation>
    </message>
    <message>
        <source>sum of the embeddings</source>
        <translation>Summe der Embeddings</translation>
    </message>
    <message>
        <source>one set of weights, used {times} times</source>
        <translation>ein Satz Gewichte, {times}-mal verwendet</translation>
    </message>
    <message>
        <source>{sets} sets of weights, used {times} times</source>
        <translation>{sets} Sätze Gewichte, {times}-mal verwendet</translation>
    </message>
    <message>
        <source>Every token looks at every other, layer by layer</source>
        <translation>Jedes Token blickt auf jedes andere, Schicht für Schicht</translation>
    </message>
    <message>
        <source>encoder layers</source>
        <translation>Encoder-Schichten</translation>
    </message>
    <message>
        <source>{details}; {another}</source>
        <translation>{details}; {another}</translation>
    </message>
    <message numerus="yes">
        <source>{n} attention head of {width}</source>
        <comment>{n} attention heads of {width}</comment>
        <translation>
            <numerusform>{n} Attention-Kopf zu {width}</numerusform>
            <numerusform>{n} Attention-Köpfe zu je {width}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} attention head</source>
        <comment>{n} attention heads</comment>
        <translation>
            <numerusform>{n} Attention-Kopf</numerusform>
            <numerusform>{n} Attention-Köpfe</numerusform>
        </translation>
    </message>
    <message>
        <source>feed-forward {sizes} with {function}</source>
        <translation>Feed-Forward {sizes} mit {function}</translation>
    </message>
    <message>
        <source>feed-forward {sizes} with {function}, {number} in a row</source>
        <translation>Feed-Forward {sizes} mit {function}, {number}-mal hintereinander</translation>
    </message>
    <message>
        <source>{path} could not be written: {reason}.</source>
        <translation>{path} konnte nicht geschrieben werden: {reason}.</translation>
    </message>
    <message>
        <source>Free some space or check the folder&apos;s permissions.</source>
        <translation>Geben Sie Speicherplatz frei oder prüfen Sie die Zugriffsrechte des Ordners.</translation>
    </message>
    <message>
        <source>Spanlight&apos;s own resources are missing.</source>
        <translation>Dateien, die zu Spanlight gehören, fehlen.</translation>
    </message>
    <message>
        <source>The model {name} gave values that are not numbers.</source>
        <translation>Das Modell {name} lieferte Werte, die keine Zahlen sind.</translation>
    </message>
    <message>
        <source>Its weights may be damaged: choose another model, or install this one again.</source>
        <translation>Vielleicht sind seine Gewichte beschädigt: Wählen Sie ein anderes Modell oder installieren Sie dieses noch einmal.</translation>
    </message>
    <message>
        <source>windows</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>“{beginning}…” is too long to ask about.</source>
        <translation>„{beginning}…“ ist zu lang, um danach zu fragen.</translation>
    </message>
    <message>
        <source>Ask about one word.</source>
        <translation>Fragen Sie nach einem einzelnen Wort.</translation>
    </message>
    <message>
        <source>The model&apos;s tokenizer does not keep a blank apart from the words beside it.</source>
        <translation>Der Tokenizer des Modells trennt eine Lücke nicht von den Wörtern daneben.</translation>
    </message>
    <message>
        <source>Choose another model for filling in words.</source>
        <translation>Wählen Sie ein anderes Modell zum Füllen von Lücken.</translation>
    </message>
    <message>
        <source>pairs</source>
        <translation>Paare</translation>
    </message>
    <message>
        <source>Type or open something first.</source>
        <translation>Geben Sie zuerst etwas ein oder öffnen Sie etwas.</translation>
    </message>
    <message>
        <source>There is no text to look at.</source>
        <translation>Es gibt keinen Text zum Hineinsehen.</translation>
    </message>
    <message>
        <source>There is no question to look at.</source>
        <translation>Es gibt keine Frage zum Hineinsehen.</translation>
    </message>
    <message>
        <source>There is no blank to look at.</source>
        <translation>Es gibt keine Lücke zum Hineinsehen.</translation>
    </message>
    <message>
        <source>Type ___ where a word is missing.</source>
        <translation>Geben Sie ___ ein, wo ein Wort fehlt.</translation>
    </message>
    <message>
        <source>There is no second passage to look at.</source>
        <translation>Es gibt keine zweite Passage zum Hineinsehen.</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Anfang</translation>
    </message>
    <message>
        <source>End</source>
        <translation>Ende</translation>
    </message>
    <message>
        <source>“{token}”, position {position}</source>
        <translation>„{token}“, Position {position}</translation>
    </message>
    <message>
        <source>outside this window: position {position} becomes {length}, its length, and is ignored</source>
        <translation>außerhalb dieses Fensters: Position {position} wird zu {length}, seiner Länge, und zählt nicht</translation>
    </message>
    <message>
        <source>(−log p(start) − log p(end)) / 2 (BERT, Devlin et al. 2019, section 4.2)</source>
        <translation>(−log p(Anfang) − log p(Ende)) / 2 (BERT, Devlin et al. 2019, Abschnitt 4.2)</translation>
    </message>
    <message>
        <source>mean of −log p(holds, or does not) over the classes (binary cross-entropy)</source>
        <translation>Mittel von −log p(trifft zu bzw. nicht zu) über die Klassen (binäre Kreuzentropie)</translation>
    </message>
    <message>
        <source>This model&apos;s texts are of one class each.</source>
        <translation>Bei diesem Modell hat jeder Text genau eine Klasse.</translation>
    </message>
    <message>
        <source>Name one of: {classes}.</source>
        <translation>Nennen Sie eine davon: {classes}.</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>Klasse</translation>
    </message>
    <message>
        <source>−log p(class) (BERT, Devlin et al. 2019, section 4.1)</source>
        <translation>−log p(Klasse) (BERT, Devlin et al. 2019, Abschnitt 4.1)</translation>
    </message>
    <message>
        <source>{model} gives {number} values at once.</source>
        <translation>{model} liefert {number} Werte auf einmal.</translation>
    </message>
    <message>
        <source>Choose a model that gives one.</source>
        <translation>Wählen Sie ein Modell, das einen liefert.</translation>
    </message>
    <message>
        <source>{value:g}</source>
        <translation>{value:g}</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>(value − right value)² (squared error)</source>
        <translation>(Wert − richtiger Wert)² (quadratischer Fehler)</translation>
    </message>
    <message>
        <source>The text has {blanks} blanks, and there are {words} right words.</source>
        <translation>Der Text hat {blanks} Lücken, und es gibt {words} richtige Wörter.</translation>
    </message>
    <message>
        <source>Give one word for each blank.</source>
        <translation>Geben Sie für jede Lücke ein Wort an.</translation>
    </message>
    <message>
        <source>Blank {number}</source>
        <translation>Lücke {number}</translation>
    </message>
    <message>
        <source>“{word}”, outside this window</source>
        <translation>„{word}“, außerhalb dieses Fensters</translation>
    </message>
    <message>
        <source>“{words}”</source>
        <translation>„{words}“</translation>
    </message>
    <message>
        <source>mean of −log p(word) over the blanks (BERT, Devlin et al. 2019, section 3.1)</source>
        <translation>Mittel von −log p(Wort) über die Lücken (BERT, Devlin et al. 2019, Abschnitt 3.1)</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>Reihenfolge</translation>
    </message>
    <message>
        <source>−log p(follows, or other) (BERT, Devlin et al. 2019, section 3.1)</source>
        <translation>−log p(schließt an bzw. nicht an) (BERT, Devlin et al. 2019, Abschnitt 3.1)</translation>
    </message>
    <message>
        <source>mean of −log p(tag) over the words&apos; first pieces (BERT, Devlin et al. 2019, section 5.3)</source>
        <translation>Mittel von −log p(Tag) über die ersten Stücke der Wörter (BERT, Devlin et al. 2019, Abschnitt 5.3)</translation>
    </message>
    <message>
        <source>The model has no tag for {kind}.</source>
        <translation>Das Modell hat kein Tag für {kind}.</translation>
    </message>
    <message>
        <source>The model has no tag for words outside names.</source>
        <translation>Das Modell hat kein Tag für Wörter außerhalb von Namen.</translation>
    </message>
    <message>
        <source>Its tags are: {tags}.</source>
        <translation>Seine Tags sind: {tags}.</translation>
    </message>
    <message>
        <source>holds</source>
        <translation>trifft zu</translation>
    </message>
    <message>
        <source>does not hold</source>
        <translation>trifft nicht zu</translation>
    </message>
    <message>
        <source>Following the gradients</source>
        <translation>Gradienten werden berechnet</translation>
    </message>
    <message>
        <source>{model} has no layer {layer}.</source>
        <translation>{model} hat keine Schicht {layer}.</translation>
    </message>
    <message>
        <source>It has {layers}, counted from 0 to {last}.</source>
        <translation>Es sind {layers}, gezählt von 0 bis {last}.</translation>
    </message>
    <message>
        <source>Only an answer to a question has a start and an end.</source>
        <translation>Nur eine Antwort auf eine Frage hat einen Anfang und ein Ende.</translation>
    </message>
    <message>
        <source>Look into a question&apos;s answer.</source>
        <translation>Sehen Sie in die Antwort auf eine Frage hinein.</translation>
    </message>
    <message>
        <source>follows</source>
        <translation>„schließt an“</translation>
    </message>
    <message>
        <source>other</source>
        <translation>„schließt nicht an“</translation>
    </message>
    <message>
        <source>no answer</source>
        <translation>keine Antwort</translation>
    </message>
    <message>
        <source>Only a question can go without an answer.</source>
        <translation>Nur eine Frage kann ohne Antwort bleiben.</translation>
    </message>
    <message>
        <source>Choose another target.</source>
        <translation>Wählen Sie ein anderes Ziel.</translation>
    </message>
    <message>
        <source>There is no answer in this part of the text.</source>
        <translation>In diesem Teil des Textes ist keine Antwort.</translation>
    </message>
    <message>
        <source>Look into another answer.</source>
        <translation>Sehen Sie in eine andere Antwort hinein.</translation>
    </message>
    <message>
        <source>{tag} for “{word}”</source>
        <translation>{tag} für „{word}“</translation>
    </message>
    <message>
        <source>There is no blank in this text.</source>
        <translation>In diesem Text ist keine Lücke.</translation>
    </message>
    <message>
        <source>Type ___ where a word is wanted.</source>
        <translation>Geben Sie ___ ein, wo ein Wort gesucht wird.</translation>
    </message>
    <message>
        <source>“{word}” is {number} pieces in this model&apos;s vocabulary; one blank takes one.</source>
        <translation>„{word}“ besteht im Vokabular dieses Modells aus {number} Stücken; in eine Lücke passt eines.</translation>
    </message>
    <message>
        <source>“{word}” cannot be spelled in this model&apos;s vocabulary; one blank takes one.</source>
        <translation>„{word}“ lässt sich mit dem Vokabular dieses Modells nicht schreiben; in eine Lücke passt ein Stück.</translation>
    </message>
    <message>
        <source>Choose a word that the vocabulary holds whole.</source>
        <translation>Wählen Sie ein Wort, das ganz im Vokabular steht.</translation>
    </message>
    <message>
        <source>There is no word at this place.</source>
        <translation>An dieser Stelle ist kein Wort.</translation>
    </message>
    <message>
        <source>Choose a word of the text.</source>
        <translation>Wählen Sie ein Wort des Textes.</translation>
    </message>
    <message>
        <source>There is no class “{label}”.</source>
        <translation>Es gibt keine Klasse „{label}“.</translation>
    </message>
    <message>
        <source>There are: {classes}.</source>
        <translation>Vorhanden: {classes}.</translation>
    </message>
    <message>
        <source>sections</source>
        <translation>Abschnitte</translation>
    </message>
    <message>
        <source>The question number {number} is empty.</source>
        <translation>Frage Nummer {number} ist leer.</translation>
    </message>
    <message>
        <source>There is no text to ask number {number}.</source>
        <translation>Für Frage Nummer {number} gibt es keinen Text.</translation>
    </message>
    <message>
        <source>There is no text to ask.</source>
        <translation>Es gibt keinen Text zum Befragen.</translation>
    </message>
    <message>
        <source>A calibration needs questions that the text answers and questions that it does not.</source>
        <translation>Eine Kalibrierung braucht Fragen, die der Text beantwortet, und Fragen, die er nicht beantwortet.</translation>
    </message>
    <message>
        <source>Give a file with both.</source>
        <translation>Geben Sie eine Datei mit beiden Arten an.</translation>
    </message>
    <message>
        <source>A temperature needs texts that are classified rightly and texts that are not.</source>
        <translation>Eine Temperatur braucht Texte, die richtig klassifiziert werden, und Texte, die es nicht werden.</translation>
    </message>
    <message>
        <source>Give a file with more texts, none of which the model was taught with.</source>
        <translation>Geben Sie eine Datei mit mehr Texten an, von denen das Modell keinen beim Training gesehen hat.</translation>
    </message>
    <message>
        <source>The model&apos;s tokenizer has no token for a blank.</source>
        <translation>Der Tokenizer des Modells hat kein Token für eine Lücke.</translation>
    </message>
    <message>
        <source>Choose a model that was taught with masked words, or fetch a whole copy of this one.</source>
        <translation>Wählen Sie ein Modell, das mit maskierten Wörtern trainiert wurde, oder holen Sie eine vollständige Kopie von diesem.</translation>
    </message>
    <message>
        <source>The model&apos;s tokenizer does not set a question before a text.</source>
        <translation>Der Tokenizer des Modells setzt keine Frage vor einen Text.</translation>
    </message>
    <message>
        <source>Choose a model that was made for that, or fetch a whole copy of this one.</source>
        <translation>Wählen Sie ein Modell, das dafür gemacht ist, oder holen Sie eine vollständige Kopie von diesem.</translation>
    </message>
    <message>
        <source>The model&apos;s windows are too short: its tokenizer leaves no room in them for a text.</source>
        <translation>Die Fenster des Modells sind zu kurz: Sein Tokenizer lässt darin keinen Platz für einen Text.</translation>
    </message>
    <message>
        <source>Going on with learning</source>
        <translation>Lernen wird fortgesetzt</translation>
    </message>
    <message>
        <source>Getting ready to learn</source>
        <translation>Lernen wird vorbereitet</translation>
    </message>
    <message>
        <source>The loss is not a number any more.</source>
        <translation>Der Verlust (Loss) ist keine Zahl mehr.</translation>
    </message>
    <message>
        <source>Teach again.</source>
        <translation>Lernen Sie das Modell noch einmal an.</translation>
    </message>
    <message>
        <source>id, context, question and answers</source>
        <translation>id, context, question und answers</translation>
    </message>
    <message>
        <source>“{text}” is not a file of examples.</source>
        <translation>„{text}“ ist keine Datei mit Beispielen.</translation>
    </message>
    <message>
        <source>Write PATH, PATH*2 or PATH?labels=0:no,1:yes.</source>
        <translation>Schreiben Sie PFAD, PFAD*2 oder PFAD?labels=0:no,1:yes.</translation>
    </message>
    <message>
        <source>{name} does not hold examples, neither as SQuAD&apos;s JSON nor as JSON Lines.</source>
        <translation>{name} enthält keine Beispiele, weder als JSON von SQuAD noch als JSON Lines.</translation>
    </message>
    <message>
        <source>id, title and text</source>
        <translation>id, title und text</translation>
    </message>
    <message>
        <source>The question {question} asks the document “{name}”, which {file} does not hold.</source>
        <translation>Frage {question} richtet sich an das Dokument „{name}“, das nicht in {file} steht.</translation>
    </message>
    <message>
        <source>That file stands beside the questions&apos; and has a row with id, title and text for each document.</source>
        <translation>Diese Datei liegt neben der mit den Fragen und hat für jedes Dokument eine Zeile mit id, title und text.</translation>
    </message>
    <message>
        <source>{wrong} of {answers} answers in {name} do not stand where their answer_start says.</source>
        <translation>{wrong} von {answers} Antworten in {name} stehen nicht dort, wo ihr answer_start es sagt.</translation>
    </message>
    <message>
        <source>Count in characters (code points) from the context&apos;s first, 0; see the question {question}.</source>
        <translation>Zählen Sie in Zeichen (Codepoints) ab dem ersten des Kontexts, 0; siehe Frage {question}.</translation>
    </message>
    <message>
        <source>text and label</source>
        <translation>text und label</translation>
    </message>
    <message>
        <source>Each row needs {fields}.</source>
        <translation>Jede Zeile braucht {fields}.</translation>
    </message>
    <message>
        <source>{name} does not hold examples: question {number} has no “{key}”.</source>
        <translation>{name} enthält keine Beispiele: Frage {number} hat kein „{key}“.</translation>
    </message>
    <message>
        <source>{name} does not hold examples: row {number} has no “{key}”.</source>
        <translation>{name} enthält keine Beispiele: Zeile {number} hat kein „{key}“.</translation>
    </message>
    <message>
        <source>{name} does not hold examples: question {number} is not of that form.</source>
        <translation>{name} enthält keine Beispiele: Frage {number} hat nicht diese Form.</translation>
    </message>
    <message>
        <source>{name} does not hold examples: row {number} is not of that form.</source>
        <translation>{name} enthält keine Beispiele: Zeile {number} hat nicht diese Form.</translation>
    </message>
    <message>
        <source>{name} cannot be loaded to train on.</source>
        <translation>{name} kann nicht zum Trainieren geladen werden.</translation>
    </message>
    <message>
        <source>Only a BERT has both heads of pretraining.</source>
        <translation>Nur ein BERT hat beide Köpfe des Vortrainings.</translation>
    </message>
    <message>
        <source>Fetch a whole copy of it, or choose another base.</source>
        <translation>Holen Sie eine vollständige Kopie oder wählen Sie eine andere Basis.</translation>
    </message>
    <message>
        <source>The teacher must be a Hugging Face checkpoint folder.</source>
        <translation>Das Lehrermodell muss ein Checkpoint-Ordner von Hugging Face sein.</translation>
    </message>
    <message>
        <source>The base must be a Hugging Face checkpoint folder.</source>
        <translation>Die Basis muss ein Checkpoint-Ordner von Hugging Face sein.</translation>
    </message>
    <message>
        <source>{name} has no {file}.</source>
        <translation>In {name} fehlt {file}.</translation>
    </message>
    <message>
        <source>The tokenizer of {name} cannot be read.</source>
        <translation>Der Tokenizer von {name} kann nicht gelesen werden.</translation>
    </message>
    <message>
        <source>The examples have one label only.</source>
        <translation>Die Beispiele haben nur ein Label.</translation>
    </message>
    <message>
        <source>Give examples of at least two.</source>
        <translation>Geben Sie Beispiele für mindestens zwei an.</translation>
    </message>
    <message>
        <source>Dev has the label “{label}” that the examples lack.</source>
        <translation>Die Dev-Daten haben das Label „{label}“, das in den Beispielen fehlt.</translation>
    </message>
    <message>
        <source>Name the labels alike.</source>
        <translation>Benennen Sie die Labels einheitlich.</translation>
    </message>
    <message>
        <source>There are no examples to learn from.</source>
        <translation>Es gibt keine Beispiele, aus denen gelernt werden kann.</translation>
    </message>
    <message>
        <source>Give files with at least one row.</source>
        <translation>Geben Sie Dateien mit mindestens einer Zeile an.</translation>
    </message>
    <message>
        <source>There are no dev examples to measure with.</source>
        <translation>Es gibt keine Dev-Beispiele zum Messen.</translation>
    </message>
    <message>
        <source>Give a dev file with at least one row.</source>
        <translation>Geben Sie eine Dev-Datei mit mindestens einer Zeile an.</translation>
    </message>
    <message>
        <source>Dev has the tag “{tag}” that the examples lack.</source>
        <translation>Die Dev-Daten haben das Tag „{tag}“, das in den Beispielen fehlt.</translation>
    </message>
    <message>
        <source>Name the kinds alike.</source>
        <translation>Benennen Sie die Arten einheitlich.</translation>
    </message>
    <message>
        <source>The examples hold no name.</source>
        <translation>Die Beispiele enthalten keinen Namen.</translation>
    </message>
    <message>
        <source>Give sentences whose words are tagged.</source>
        <translation>Geben Sie Sätze an, deren Wörter Tags haben.</translation>
    </message>
    <message>
        <source>{name} does not hold running text.</source>
        <translation>{name} enthält keinen Fließtext.</translation>
    </message>
    <message>
        <source>Give rows or plain text files.</source>
        <translation>Geben Sie Zeilen oder reine Textdateien an.</translation>
    </message>
    <message>
        <source>Each row needs a context or a text.</source>
        <translation>Jede Zeile braucht einen Kontext oder einen Text.</translation>
    </message>
    <message>
        <source>{name} does not hold tagged words: see row {row}.</source>
        <translation>{name} enthält keine Wörter mit Tags: siehe Zeile {row}.</translation>
    </message>
    <message>
        <source>Each row needs tokens and as many tags: O, B-KIND or I-KIND.</source>
        <translation>Jede Zeile braucht Tokens und ebenso viele Tags: O, B-ART oder I-ART.</translation>
    </message>
    <message>
        <source>{name} does not hold tagged words: see line {line}.</source>
        <translation>{name} enthält keine Wörter mit Tags: siehe Zeile {line}.</translation>
    </message>
    <message>
        <source>Each line needs a word and, in the last column, its tag: O, B-KIND or I-KIND.</source>
        <translation>Jede Zeile braucht ein Wort und in der letzten Spalte sein Tag: O, B-ART oder I-ART.</translation>
    </message>
    <message>
        <source>A teacher cannot be imitated so.</source>
        <translation>So lässt sich ein Lehrermodell nicht nachahmen.</translation>
    </message>
    <message>
        <source>imitate is from 0 to 1, temperature above 0.</source>
        <translation>imitate liegt zwischen 0 und 1, temperature über 0.</translation>
    </message>
    <message>
        <source>{name} reads at most {longest} tokens at a time, and would need {needed}.</source>
        <translation>{name} liest höchstens {longest} Tokens auf einmal und bräuchte {needed}.</translation>
    </message>
    <message>
        <source>Give a smaller length.</source>
        <translation>Geben Sie eine kleinere Länge an.</translation>
    </message>
    <message>
        <source>{name} cannot answer questions.</source>
        <translation>{name} kann keine Fragen beantworten.</translation>
    </message>
    <message>
        <source>Choose another teacher.</source>
        <translation>Wählen Sie ein anderes Lehrermodell.</translation>
    </message>
    <message>
        <source>Student and teacher do not share their word pieces: the teacher lacks {missing:,} of {pieces:,}, such as “{piece}”.</source>
        <translation>Schüler- und Lehrermodell haben nicht dieselben Wortstücke: Dem Lehrermodell fehlen {missing:,} von {pieces:,}, etwa „{piece}“.</translation>
    </message>
    <message>
        <source>Choose a teacher whose tokenizer has the same.</source>
        <translation>Wählen Sie ein Lehrermodell, dessen Tokenizer dieselben hat.</translation>
    </message>
    <message>
        <source>There is no task “{task}” to train.</source>
        <translation>Es gibt keine Aufgabe „{task}“ zum Trainieren.</translation>
    </message>
    <message>
        <source>Choose one of {tasks}.</source>
        <translation>Wählen Sie eine davon: {tasks}.</translation>
    </message>
    <message>
        <source>Only question answering is learnt from a teacher.</source>
        <translation>Nur das Beantworten von Fragen wird von einem Lehrermodell gelernt.</translation>
    </message>
    <message>
        <source>Leave the teacher out.</source>
        <translation>Lassen Sie das Lehrermodell weg.</translation>
    </message>
    <message>
        <source>Choose auto or cpu.</source>
        <translation>Wählen Sie auto oder cpu.</translation>
    </message>
    <message>
        <source>There is no device “{device}” to train on.</source>
        <translation>Es gibt kein Gerät „{device}“ zum Trainieren.</translation>
    </message>
    <message>
        <source>The loss is not a number any more at step {step}.</source>
        <translation>Der Verlust (Loss) ist bei Schritt {step} keine Zahl mehr.</translation>
    </message>
    <message>
        <source>Use a lower learning rate.</source>
        <translation>Verwenden Sie eine niedrigere Lernrate.</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>No text of it comes along.</source>
        <translation>Der Lizenztext liegt nicht bei.</translation>
    </message>
    <message>
        <source>not stated</source>
        <translation>nicht angegeben</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>Lizenz</translation>
    </message>
    <message>
        <source>version {version}</source>
        <translation>Version {version}</translation>
    </message>
    <message>
        <source>Licence of {part}</source>
        <translation>Lizenz von {part}</translation>
    </message>
    <message>
        <source>Licences</source>
        <translation>Lizenzen</translation>
    </message>
    <message>
        <source>Search parts and licences</source>
        <translation>Bestandteile und Lizenzen durchsuchen</translation>
    </message>
    <message>
        <source>What Spanlight is made of</source>
        <translation>Woraus Spanlight besteht</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>Nichts gefunden</translation>
    </message>
    <message>
        <source>No part, and no licence, fits this search.</source>
        <translation>Kein Bestandteil und keine Lizenz passt zu dieser Suche.</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>Alle anzeigen</translation>
    </message>
    <message>
        <source>Answers questions about your own documents by lighting up the exact words of the answer, on your own computer.</source>
        <translation>Beantwortet auf Ihrem Computer Fragen zu Ihren eigenen Dokumenten und hebt dabei genau die Wörter der Antwort hervor.</translation>
    </message>
    <message>
        <source>Nothing of it ever leaves this computer.</source>
        <translation>Nichts davon verlässt je diesen Computer.</translation>
    </message>
    <message>
        <source>Spanlight&apos;s icon</source>
        <translation>Symbol von Spanlight</translation>
    </message>
    <message>
        <source>Version {version} · {copyright}</source>
        <translation>Version {version} · {copyright}</translation>
    </message>
    <message>
        <source>All licences</source>
        <translation>Alle Lizenzen</translation>
    </message>
    <message>
        <source>Settings: Updates</source>
        <translation>Einstellungen: Updates</translation>
    </message>
    <message>
        <source>Show the welcome again</source>
        <translation>Begrüßung erneut anzeigen</translation>
    </message>
    <message>
        <source>not known: the models cannot be started</source>
        <translation>unbekannt: Die Modelle können nicht gestartet werden</translation>
    </message>
    <message>
        <source>System</source>
        <translation>System</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>Prozessor</translation>
    </message>
    <message numerus="yes">
        <source>{processor}, {n:,} core</source>
        <comment>{processor}, {n:,} cores</comment>
        <translation>
            <numerusform>{processor}, {n:,} Kern</numerusform>
            <numerusform>{processor}, {n:,} Kerne</numerusform>
        </translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Arbeitsspeicher</translation>
    </message>
    <message>
        <source>Graphics</source>
        <translation>Grafik</translation>
    </message>
    <message>
        <source>Models run on</source>
        <translation>Modelle laufen auf</translation>
    </message>
    <message>
        <source>Being looked up…</source>
        <translation>Wird ermittelt…</translation>
    </message>
    <message>
        <source>Free software, under the Apache License 2.0</source>
        <translation>Freie Software unter der Apache License 2.0</translation>
    </message>
    <message>
        <source>Asked for only when you press the button</source>
        <translation>Suche nur auf Knopfdruck</translation>
    </message>
    <message>
        <source>A sample that is asked for you</source>
        <translation>Ein Beispiel, zu dem eine Frage gestellt wird</translation>
    </message>
    <message>
        <source>What helps to find it, to copy</source>
        <translation>Angaben zur Fehlersuche, zum Kopieren</translation>
    </message>
    <message>
        <source>Updates</source>
        <translation>Updates</translation>
    </message>
    <message>
        <source>First steps</source>
        <translation>Erste Schritte</translation>
    </message>
    <message>
        <source>When something is wrong</source>
        <translation>Wenn etwas nicht stimmt</translation>
    </message>
    <message>
        <source>Versions</source>
        <translation>Versionen</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>Dieser Computer</translation>
    </message>
    <message>
        <source>Where everything lies</source>
        <translation>Wo alles liegt</translation>
    </message>
    <message>
        <source>Open the folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>Open the folder: {folder}</source>
        <translation>Ordner öffnen: {folder}</translation>
    </message>
    <message>
        <source>About</source>
        <translation>Über Spanlight</translation>
    </message>
    <message>
        <source>Next section</source>
        <translation>Nächster Abschnitt</translation>
    </message>
    <message>
        <source>Section before</source>
        <translation>Voriger Abschnitt</translation>
    </message>
    <message>
        <source>Search licences</source>
        <translation>Lizenzen durchsuchen</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Back  (Esc)</source>
        <translation>Zurück  (Esc)</translation>
    </message>
    <message>
        <source>No document with a text is open.</source>
        <translation>Kein Dokument mit Text ist geöffnet.</translation>
    </message>
    <message>
        <source>Open files (Ctrl+O), or ask a library.</source>
        <translation>Öffnen Sie Dateien (Strg+O) oder befragen Sie eine Bibliothek.</translation>
    </message>
    <message numerus="yes">
        <source>Not asked, as it is not open: {names}.</source>
        <comment>Not asked, as they are not open: {names}.</comment>
        <translation>
            <numerusform>Nicht befragt, da nicht geöffnet: {names}.</numerusform>
            <numerusform>Nicht befragt, da nicht geöffnet: {names}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Its tab says why.</source>
        <comment>Their tabs say why.</comment>
        <translation>
            <numerusform>Der Tab sagt, warum.</numerusform>
            <numerusform>Die Tabs sagen, warum.</numerusform>
        </translation>
    </message>
    <message>
        <source>the work on Ask</source>
        <translation>die Arbeit auf der Seite „Fragen“</translation>
    </message>
    <message>
        <source>Waiting for the reader</source>
        <translation>Wartet auf das Lesemodell</translation>
    </message>
    <message>
        <source>Broke off</source>
        <translation>Abgebrochen</translation>
    </message>
    <message>
        <source>{name} was closed.</source>
        <translation>{name} wurde geschlossen.</translation>
    </message>
    <message>
        <source>This text was closed.</source>
        <translation>Dieser Text wurde geschlossen.</translation>
    </message>
    <message>
        <source>Bring it back with Ctrl+Shift+T.</source>
        <translation>Mit Strg+Umschalt+T stellen Sie ihn wieder her.</translation>
    </message>
    <message>
        <source>Copied with its source</source>
        <translation>Mit Quelle kopiert</translation>
    </message>
    <message>
        <source>Copy the answer with its source</source>
        <translation>Antwort mit Quelle kopieren</translation>
    </message>
    <message>
        <source>Copy the answer with its sentence, file and page  (Ctrl+C)</source>
        <translation>Antwort mit Satz, Datei und Seite kopieren  (Strg+C)</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Save the answers</source>
        <translation>Antworten speichern</translation>
    </message>
    <message>
        <source>Save the answers to a file</source>
        <translation>Antworten in einer Datei speichern</translation>
    </message>
    <message>
        <source>Ask again</source>
        <translation>Erneut fragen</translation>
    </message>
    <message>
        <source>Read every passage</source>
        <translation>Alle Passagen lesen</translation>
    </message>
    <message>
        <source>Select the right words in the document first  (Esc there, then E)</source>
        <translation>Erst die richtigen Wörter im Dokument auswählen  (dort Esc, dann E)</translation>
    </message>
    <message>
        <source>Read as “{question}”</source>
        <translation>Gelesen als „{question}“</translation>
    </message>
    <message>
        <source>Put a word in quotation marks to have it read as it is typed</source>
        <translation>Setzen Sie ein Wort in Anführungszeichen, damit es gelesen wird, wie es getippt ist</translation>
    </message>
    <message>
        <source>Answer: {words}</source>
        <translation>Antwort: {words}</translation>
    </message>
    <message>
        <source>The nearest words are not sure enough ({percent}, {place}). How sure an answer must be is set below.</source>
        <translation>Die nächstliegenden Wörter sind nicht sicher genug ({percent}, {place}). Wie sicher eine Antwort sein muss, wird unten eingestellt.</translation>
    </message>
    <message>
        <source>Hide</source>
        <translation>Ausblenden</translation>
    </message>
    <message>
        <source>Why not?</source>
        <translation>Warum nicht?</translation>
    </message>
    <message>
        <source>Hide the nearest words</source>
        <translation>Nächstliegende Wörter ausblenden</translation>
    </message>
    <message>
        <source>Why not? Show the nearest words</source>
        <translation>Warum nicht? Nächstliegende Wörter anzeigen</translation>
    </message>
    <message>
        <source>Other places</source>
        <translation>Weitere Stellen</translation>
    </message>
    <message>
        <source>Ask something that the text may answer. The answer&apos;s exact words light up in it.</source>
        <translation>Fragen Sie etwas, das der Text beantworten könnte. Genau die Wörter der Antwort werden darin hervorgehoben.</translation>
    </message>
    <message>
        <source>Ask something that the open documents may answer. The best places are listed here, by document.</source>
        <translation>Fragen Sie etwas, das die offenen Dokumente beantworten könnten. Die besten Stellen werden hier nach Dokument aufgeführt.</translation>
    </message>
    <message>
        <source>Ask something that the files may answer. The best places are listed here, by document.</source>
        <translation>Fragen Sie etwas, das die Dateien beantworten könnten. Die besten Stellen werden hier nach Dokument aufgeführt.</translation>
    </message>
    <message>
        <source>Fewer left unanswered, more wrong answers</source>
        <translation>Weniger unbeantwortet, mehr falsch</translation>
    </message>
    <message>
        <source>Fewer wrong answers, more left unanswered</source>
        <translation>Weniger falsch, mehr unbeantwortet</translation>
    </message>
    <message>
        <source>Ask: {question}</source>
        <translation>Fragen: {question}</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Ändern</translation>
    </message>
    <message>
        <source>Change the confidence threshold</source>
        <translation>Sicherheitsschwelle ändern</translation>
    </message>
    <message>
        <source>Confidence threshold, in percent</source>
        <translation>Sicherheitsschwelle in Prozent</translation>
    </message>
    <message>
        <source>Less: fewer left unanswered, more wrong answers. More: fewer wrong answers, more left unanswered.</source>
        <translation>Niedriger: weniger Unbeantwortetes, mehr falsche Antworten. Höher: weniger falsche Antworten, mehr Unbeantwortetes.</translation>
    </message>
    <message>
        <source>Usual</source>
        <translation>Standard</translation>
    </message>
    <message>
        <source>Usual confidence threshold</source>
        <translation>Standard-Sicherheitsschwelle</translation>
    </message>
    <message>
        <source>What was found to be best for this reader</source>
        <translation>Was sich für dieses Lesemodell als am besten erwiesen hat</translation>
    </message>
    <message>
        <source>Answers if it is at least {percent} likely that the text answers</source>
        <translation>Antwortet ab {percent} Wahrscheinlichkeit, dass der Text antwortet</translation>
    </message>
    <message>
        <source>The percentage beside an answer is less: it is that of these very words</source>
        <translation>Der Prozentwert neben einer Antwort ist kleiner: Er gilt für genau diese Wörter</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Answers if sure enough</source>
        <translation>Antwortet, wenn sicher genug</translation>
    </message>
    <message>
        <source>Question and answers</source>
        <translation>Frage und Antworten</translation>
    </message>
    <message>
        <source>See stronger readers</source>
        <translation>Stärkere Lesemodelle ansehen</translation>
    </message>
    <message>
        <source>F3 next</source>
        <translation>F3 weiter</translation>
    </message>
    <message>
        <source>Also try</source>
        <translation>Auch probieren</translation>
    </message>
    <message>
        <source>{note}, before anything was found.</source>
        <translation>{note}, bevor etwas gefunden wurde.</translation>
    </message>
    <message>
        <source>Nothing sure so far.</source>
        <translation>Noch nichts Sicheres.</translation>
    </message>
    <message>
        <source>Asked as soon as the file is open</source>
        <translation>Die Frage wird gestellt, sobald die Datei offen ist</translation>
    </message>
    <message numerus="yes">
        <source>Waiting for the text of {n:,} page</source>
        <comment>Waiting for the text of {n:,} pages</comment>
        <translation>
            <numerusform>Wartet auf den Text von {n:,} Seite</numerusform>
            <numerusform>Wartet auf den Text von {n:,} Seiten</numerusform>
        </translation>
    </message>
    <message>
        <source>Asked as soon as the files are open</source>
        <translation>Die Frage wird gestellt, sobald die Dateien offen sind</translation>
    </message>
    <message>
        <source>Asked after the question in another tab</source>
        <translation>Die Frage wird nach der in einem anderen Tab gestellt</translation>
    </message>
    <message>
        <source>{note}: begins again after the question in another tab</source>
        <translation>{note}: beginnt nach der Frage in einem anderen Tab von vorn</translation>
    </message>
    <message>
        <source>Provisional: still reading</source>
        <translation>Vorläufig: wird noch gelesen</translation>
    </message>
    <message>
        <source>{note}: the best so far</source>
        <translation>{note}: das Beste bisher</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} page was not read: the text in its picture is not recognised.</source>
        <comment>{n:,} pages were not read: the text in their pictures is not recognised.</comment>
        <translation>
            <numerusform>{n:,} Seite wurde nicht gelesen: Der Text in ihrem Bild ist nicht erkannt.</numerusform>
            <numerusform>{n:,} Seiten wurden nicht gelesen: Der Text in ihren Bildern ist nicht erkannt.</numerusform>
        </translation>
    </message>
    <message>
        <source>Other places so far</source>
        <translation>Weitere Stellen bisher</translation>
    </message>
    <message>
        <source>The text was changed after this was asked.</source>
        <translation>Der Text wurde nach dieser Frage geändert.</translation>
    </message>
    <message>
        <source>Not marked on the page.</source>
        <translation>Auf der Seite nicht markiert.</translation>
    </message>
    <message>
        <source>Asked in {library}: “{question}”</source>
        <translation>Gefragt in {library}: „{question}“</translation>
    </message>
    <message>
        <source>Asked in the open documents: “{question}”</source>
        <translation>Gefragt in den offenen Dokumenten: „{question}“</translation>
    </message>
    <message>
        <source>Asked: “{question}”</source>
        <translation>Gefragt: „{question}“</translation>
    </message>
    <message>
        <source>Use {model}</source>
        <translation>{model} verwenden</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>Fragen</translation>
    </message>
    <message>
        <source>Go to the question</source>
        <translation>Zur Frage gehen</translation>
    </message>
    <message>
        <source>Ask this document, the open ones, or a library</source>
        <translation>Dieses Dokument, die offenen oder eine Bibliothek befragen</translation>
    </message>
    <message>
        <source>Stop; the best answer so far stays. Else from the question or the document to the answer</source>
        <translation>Stopp; die bisher beste Antwort bleibt. Sonst von der Frage oder dem Dokument zur Antwort</translation>
    </message>
    <message>
        <source>Next answer</source>
        <translation>Nächste Antwort</translation>
    </message>
    <message>
        <source>Previous answer</source>
        <translation>Vorige Antwort</translation>
    </message>
    <message>
        <source>Earlier questions, in the question&apos;s box</source>
        <translation>Frühere Fragen, im Feld der Frage</translation>
    </message>
    <message>
        <source>The answer is right</source>
        <translation>Die Antwort ist richtig</translation>
    </message>
    <message>
        <source>The words selected in the document are right instead; in a text Esc first</source>
        <translation>Stattdessen sind die im Dokument ausgewählten Wörter richtig; in einem Text erst Esc</translation>
    </message>
    <message>
        <source>The answer is not in the text</source>
        <translation>Die Antwort steht nicht im Text</translation>
    </message>
    <message>
        <source>Copy the answer with its sentence, or what is selected</source>
        <translation>Antwort mit ihrem Satz oder die Auswahl kopieren</translation>
    </message>
    <message>
        <source>Look inside: how the model came to the answer</source>
        <translation>Hineinsehen: wie das Modell zur Antwort kam</translation>
    </message>
    <message>
        <source>Find in the text</source>
        <translation>Im Text suchen</translation>
    </message>
    <message>
        <source>Open files</source>
        <translation>Dateien öffnen</translation>
    </message>
    <message>
        <source>List of documents</source>
        <translation>Liste der Dokumente</translation>
    </message>
    <message>
        <source>Find a document</source>
        <translation>Dokument suchen</translation>
    </message>
    <message>
        <source>New text</source>
        <translation>Neuer Text</translation>
    </message>
    <message>
        <source>Close the text</source>
        <translation>Text schließen</translation>
    </message>
    <message>
        <source>Bring a closed text back</source>
        <translation>Geschlossenen Text wiederherstellen</translation>
    </message>
    <message>
        <source>Keep open what an answer has opened</source>
        <translation>Offen halten, was eine Antwort geöffnet hat</translation>
    </message>
    <message>
        <source>Next text</source>
        <translation>Nächster Text</translation>
    </message>
    <message>
        <source>Go to a page, a slide, a sheet or a mail, or to a line of a text</source>
        <translation>Zu einer Seite, einer Folie, einem Tabellenblatt oder einer E-Mail gehen, oder zu einer Zeile eines Textes</translation>
    </message>
    <message>
        <source>Outline of the document</source>
        <translation>Gliederung des Dokuments</translation>
    </message>
    <message>
        <source>Larger, smaller, usual size</source>
        <translation>Größer, kleiner, normale Größe</translation>
    </message>
    <message>
        <source>The whole page</source>
        <translation>Ganze Seite</translation>
    </message>
    <message>
        <source>Keep these as a library</source>
        <translation>Als Bibliothek speichern</translation>
    </message>
    <message>
        <source>Not now</source>
        <translation>Jetzt nicht</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} document was opened. As a library they can be asked all at once.</source>
        <comment>{n:,} documents were opened. As a library they can be asked all at once.</comment>
        <translation>
            <numerusform>{n:,} Dokument wurde geöffnet. In einer Bibliothek lässt es sich mit anderen zusammen befragen.</numerusform>
            <numerusform>{n:,} Dokumente wurden geöffnet. Als Bibliothek lassen sie sich alle auf einmal befragen.</numerusform>
        </translation>
    </message>
    <message>
        <source>These lines were pasted as one question.</source>
        <translation>Diese Zeilen wurden als eine Frage eingefügt.</translation>
    </message>
    <message>
        <source>Is each a question of its own? A table has a column for each.</source>
        <translation>Ist jede eine eigene Frage? Eine Tabelle hat für jede eine Spalte.</translation>
    </message>
    <message>
        <source>Table with these questions</source>
        <translation>Tabelle mit diesen Fragen</translation>
    </message>
    <message>
        <source>Very long lines were broken, so that the text can be shown.</source>
        <translation>Sehr lange Zeilen wurden umbrochen, damit der Text gezeigt werden kann.</translation>
    </message>
    <message>
        <source>Where a line has no blank, a line end was added; an answer there may be broken by it.</source>
        <translation>Wo eine Zeile kein Leerzeichen hat, wurde ein Zeilenende eingefügt; eine Antwort dort kann davon unterbrochen sein.</translation>
    </message>
    <message>
        <source>A break stands in place of a blank; the answers are not touched by it.</source>
        <translation>Ein Umbruch steht anstelle eines Leerzeichens; die Antworten sind davon nicht betroffen.</translation>
    </message>
    <message>
        <source>{name}, answers</source>
        <translation>{name}, Antworten</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>Antworten</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} answer saved to {files}</source>
        <comment>{n:,} answers saved to {files}</comment>
        <translation>
            <numerusform>{n:,} Antwort gespeichert in {files}</numerusform>
            <numerusform>{n:,} Antworten gespeichert in {files}</numerusform>
        </translation>
    </message>
    <message>
        <source>No answer was saved to a file</source>
        <translation>Keine Antwort wurde in einer Datei gespeichert</translation>
    </message>
    <message>
        <source>The question</source>
        <translation>Die Frage</translation>
    </message>
    <message>
        <source>The document</source>
        <translation>Das Dokument</translation>
    </message>
    <message>
        <source>This document</source>
        <translation>Dieses Dokument</translation>
    </message>
    <message>
        <source>This text</source>
        <translation>Dieser Text</translation>
    </message>
    <message>
        <source>{model} answers from now on</source>
        <translation>Ab jetzt antwortet {model}</translation>
    </message>
    <message>
        <source>A stronger reader is installed: {model}.</source>
        <translation>Ein stärkeres Lesemodell ist installiert: {model}.</translation>
    </message>
    <message>
        <source>A stronger reader may be surer.</source>
        <translation>Ein stärkeres Lesemodell ist vielleicht sicherer.</translation>
    </message>
    <message>
        <source>All are large or slow for this computer.</source>
        <translation>Alle sind für diesen Computer groß oder langsam.</translation>
    </message>
    <message>
        <source>They are: {models}.</source>
        <translation>Es sind: {models}.</translation>
    </message>
    <message>
        <source>Recommended: {model}.</source>
        <translation>Empfohlen: {model}.</translation>
    </message>
    <message>
        <source>Also: {models}.</source>
        <translation>Außerdem: {models}.</translation>
    </message>
    <message>
        <source>The document has changed since this was asked.</source>
        <translation>Das Dokument hat sich seit dieser Frage geändert.</translation>
    </message>
    <message>
        <source>This file is read differently now.</source>
        <translation>Diese Datei wird jetzt anders gelesen.</translation>
    </message>
    <message>
        <source>Ask again to see what it says now.</source>
        <translation>Fragen Sie erneut, um zu sehen, was jetzt darin steht.</translation>
    </message>
    <message>
        <source>The words were found again in another place.</source>
        <translation>Die Wörter wurden an einer anderen Stelle wiedergefunden.</translation>
    </message>
    <message>
        <source>Its answer does not stand in it any more. Ask again to see what it says now.</source>
        <translation>Die Antwort steht nicht mehr darin. Fragen Sie erneut, um zu sehen, was jetzt darin steht.</translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation>Ordner hinzufügen…</translation>
    </message>
    <message>
        <source>Keep a folder as a library: all its documents can be asked</source>
        <translation>Einen Ordner als Bibliothek führen: alle seine Dokumente lassen sich befragen</translation>
    </message>
    <message>
        <source>Remove it</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Documents</source>
        <translation>Dokumente</translation>
    </message>
    <message>
        <source>Remove “{library}” from Spanlight? What was read is forgotten; no document is touched.</source>
        <translation>„{library}“ aus Spanlight entfernen? Was gelesen wurde, wird vergessen; die Dokumente bleiben unverändert.</translation>
    </message>
    <message>
        <source>Add a folder to {library}</source>
        <translation>Ordner zu {library} hinzufügen</translation>
    </message>
    <message>
        <source>Add a folder</source>
        <translation>Ordner hinzufügen</translation>
    </message>
    <message>
        <source>New name of the library {library}</source>
        <translation>Neuer Name der Bibliothek {library}</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>Im Ordner anzeigen</translation>
    </message>
    <message>
        <source>Copy path</source>
        <translation>Pfad kopieren</translation>
    </message>
    <message>
        <source>Close	Ctrl+W</source>
        <translation>Schließen	Strg+W</translation>
    </message>
    <message>
        <source>Close others</source>
        <translation>Andere schließen</translation>
    </message>
    <message>
        <source>Close all</source>
        <translation>Alle schließen</translation>
    </message>
    <message>
        <source>Open	Enter</source>
        <translation>Öffnen	Enter</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Stop reading</source>
        <translation>Lesen stoppen</translation>
    </message>
    <message>
        <source>Update now</source>
        <translation>Jetzt aktualisieren</translation>
    </message>
    <message>
        <source>Check everything</source>
        <translation>Alles prüfen</translation>
    </message>
    <message>
        <source>Files that were not read…</source>
        <translation>Nicht gelesene Dateien…</translation>
    </message>
    <message>
        <source>Rename	F2</source>
        <translation>Umbenennen	F2</translation>
    </message>
    <message>
        <source>Add a folder to it…</source>
        <translation>Weiteren Ordner hinzufügen…</translation>
    </message>
    <message>
        <source>Folders, files and kinds…</source>
        <translation>Ordner, Dateien und Typen…</translation>
    </message>
    <message>
        <source>Remove from Spanlight…</source>
        <translation>Aus Spanlight entfernen…</translation>
    </message>
    <message>
        <source>Ask this library</source>
        <translation>Diese Bibliothek befragen</translation>
    </message>
    <message>
        <source>on the page</source>
        <translation>auf der Seite</translation>
    </message>
    <message>
        <source>library, expanded</source>
        <translation>Bibliothek, ausgeklappt</translation>
    </message>
    <message>
        <source>library, collapsed</source>
        <translation>Bibliothek, eingeklappt</translation>
    </message>
    <message>
        <source>in part</source>
        <translation>teilweise</translation>
    </message>
    <message>
        <source>{pages}, recognised</source>
        <translation>{pages}, erkannt</translation>
    </message>
    <message>
        <source>scan</source>
        <translation>Scan</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>leer</translation>
    </message>
    <message>
        <source>password</source>
        <translation>Passwort</translation>
    </message>
    <message>
        <source>not read</source>
        <translation>nicht gelesen</translation>
    </message>
    <message>
        <source>{number:,} p</source>
        <translation>{number:,} S</translation>
    </message>
    <message>
        <source>{read:,} of {total:,} read</source>
        <translation>{read:,} von {total:,} gelesen</translation>
    </message>
    <message>
        <source>{read:,} of {total:,}</source>
        <translation>{read:,} von {total:,}</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} read</source>
        <comment>{n:,} read</comment>
        <translation>
            <numerusform>{n:,} gelesen</numerusform>
            <numerusform>{n:,} gelesen</numerusform>
        </translation>
    </message>
    <message>
        <source>stop reading {library}</source>
        <translation>Lesen von {library} stoppen</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>Open documents</source>
        <translation>Geöffnete Dokumente</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} found</source>
        <comment>{n:,} found</comment>
        <translation>
            <numerusform>{n:,} gefunden</numerusform>
            <numerusform>{n:,} gefunden</numerusform>
        </translation>
    </message>
    <message>
        <source>Opened before</source>
        <translation>Früher geöffnet</translation>
    </message>
    <message>
        <source>No document is named like that.</source>
        <translation>Kein Dokument heißt so.</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} word</source>
        <comment>{n:,} words</comment>
        <translation>
            <numerusform>{n:,} Wort</numerusform>
            <numerusform>{n:,} Wörter</numerusform>
        </translation>
    </message>
    <message>
        <source>List of documents  (Ctrl+B)</source>
        <translation>Dokumentliste  (Strg+B)</translation>
    </message>
    <message>
        <source>New text  (Ctrl+T)</source>
        <translation>Neuer Text  (Strg+T)</translation>
    </message>
    <message>
        <source>Open files  (Ctrl+O)</source>
        <translation>Dateien öffnen  (Strg+O)</translation>
    </message>
    <message>
        <source>Files opened before</source>
        <translation>Früher geöffnete Dateien</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Bring the closed text back</source>
        <translation>Geschlossenen Text wiederherstellen</translation>
    </message>
    <message>
        <source>Bring it back  (Ctrl+Shift+T)</source>
        <translation>Wiederherstellen  (Strg+Umschalt+T)</translation>
    </message>
    <message>
        <source>Close  (Ctrl+W)</source>
        <translation>Schließen  (Strg+W)</translation>
    </message>
    <message>
        <source>Close {title}</source>
        <translation>{title} schließen</translation>
    </message>
    <message>
        <source>Forget these</source>
        <translation>Liste leeren</translation>
    </message>
    <message>
        <source>“{title}” closed</source>
        <translation>„{title}“ geschlossen</translation>
    </message>
    <message>
        <source>Ctrl+V paste</source>
        <translation>Strg+V einfügen</translation>
    </message>
    <message>
        <source>Ctrl+O open</source>
        <translation>Strg+O öffnen</translation>
    </message>
    <message>
        <source>Ctrl+L question</source>
        <translation>Strg+L Frage</translation>
    </message>
    <message>
        <source>Enter ask</source>
        <translation>Enter fragen</translation>
    </message>
    <message>
        <source>F1 all keys</source>
        <translation>F1 alle Tasten</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>Einfügen</translation>
    </message>
    <message>
        <source>Paste  (Ctrl+V)</source>
        <translation>Einfügen  (Strg+V)</translation>
    </message>
    <message>
        <source>Open a file…</source>
        <translation>Datei öffnen…</translation>
    </message>
    <message>
        <source>All its documents can be asked at once</source>
        <translation>Alle seine Dokumente lassen sich auf einmal befragen</translation>
    </message>
    <message>
        <source>Open again</source>
        <translation>Wieder öffnen</translation>
    </message>
    <message>
        <source>Or try one of these</source>
        <translation>Oder ein Beispiel ausprobieren</translation>
    </message>
    <message>
        <source>Drop files or a folder here, or paste a text</source>
        <translation>Dateien oder einen Ordner hier ablegen oder einen Text einfügen</translation>
    </message>
    <message>
        <source>PDF, Word, spreadsheets, slides, books, mails, web pages, Markdown, plain text</source>
        <translation>PDF, Word, Tabellen, Folien, Bücher, E-Mails, Webseiten, Markdown, reiner Text</translation>
    </message>
    <message>
        <source>Open {file} again</source>
        <translation>{file} wieder öffnen</translation>
    </message>
    <message>
        <source>This file has changed on the disk since it was opened.</source>
        <translation>Diese Datei hat sich seit dem Öffnen auf dem Datenträger geändert.</translation>
    </message>
    <message>
        <source>The file is not in its place any more.</source>
        <translation>Die Datei ist nicht mehr an ihrem Ort.</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>What you changed here is lost then.</source>
        <translation>Was Sie hier geändert haben, geht dann verloren.</translation>
    </message>
    <message>
        <source>Read it again</source>
        <translation>Neu einlesen</translation>
    </message>
    <message>
        <source>What was read of it stays here until the tab is closed.</source>
        <translation>Was davon gelesen wurde, bleibt hier, bis der Tab geschlossen wird.</translation>
    </message>
    <message>
        <source>“{words}” in {document}</source>
        <translation>„{words}“ in {document}</translation>
    </message>
    <message>
        <source>Files of {library}</source>
        <translation>Dateien von {library}</translation>
    </message>
    <message>
        <source>Files that were not read</source>
        <translation>Nicht gelesene Dateien</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Recognise all scans</source>
        <translation>Alle Scans erkennen</translation>
    </message>
    <message>
        <source>Reads the pages that are pictures, some seconds each</source>
        <translation>Liest die Seiten, die Bilder sind; jede dauert einige Sekunden</translation>
    </message>
    <message>
        <source>Every file has been read.</source>
        <translation>Alle Dateien wurden gelesen.</translation>
    </message>
    <message numerus="yes">
        <source>{read:,} of {n:,} file read. Not read, or only in part:</source>
        <comment>{read:,} of {n:,} files read. Not read, or only in part:</comment>
        <translation>
            <numerusform>{read:,} von {n:,} Datei gelesen. Nicht oder nur teilweise gelesen:</numerusform>
            <numerusform>{read:,} von {n:,} Dateien gelesen. Nicht oder nur teilweise gelesen:</numerusform>
        </translation>
    </message>
    <message>
        <source>Files of other kinds, left out: {kinds}</source>
        <translation>Ausgelassene Dateien anderer Typen: {kinds}</translation>
    </message>
    <message>
        <source>Enter it</source>
        <translation>Eingeben</translation>
    </message>
    <message>
        <source>Enter the password</source>
        <translation>Passwort eingeben</translation>
    </message>
    <message>
        <source>Folders and kinds of {library}</source>
        <translation>Ordner und Dateitypen von {library}</translation>
    </message>
    <message>
        <source>Folders and single files</source>
        <translation>Ordner und einzelne Dateien</translation>
    </message>
    <message>
        <source>Documents of every kind; or pdf, docx; or +xml for these as well</source>
        <translation>Dokumente jeder Art; oder pdf, docx; oder +xml, um diese hinzuzunehmen</translation>
    </message>
    <message>
        <source>Nothing; or drafts/*, *copy*</source>
        <translation>Nichts; oder entwürfe/*, *kopie*</translation>
    </message>
    <message>
        <source>Add files…</source>
        <translation>Dateien hinzufügen…</translation>
    </message>
    <message>
        <source>Take out</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>No document is touched  (Del)</source>
        <translation>Die Dokumente bleiben unverändert  (Entf)</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Only files of these kinds</source>
        <translation>Nur Dateien dieser Typen</translation>
    </message>
    <message>
        <source>Leave out names or folders like these</source>
        <translation>Namen oder Ordner wie diese auslassen</translation>
    </message>
    <message>
        <source>Looking at the files…</source>
        <translation>Dateien werden durchgesehen…</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} document, {size}</source>
        <comment>{n:,} documents, {size}</comment>
        <translation>
            <numerusform>{n:,} Dokument, {size}</numerusform>
            <numerusform>{n:,} Dokumente, {size}</numerusform>
        </translation>
    </message>
    <message>
        <source>{number:,} {extension}</source>
        <translation>{number:,} {extension}</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} without an extension</source>
        <comment>{n:,} without an extension</comment>
        <translation>
            <numerusform>{n:,} ohne Endung</numerusform>
            <numerusform>{n:,} ohne Endung</numerusform>
        </translation>
    </message>
    <message>
        <source>left out: {kinds}</source>
        <translation>ausgelassen: {kinds}</translation>
    </message>
    <message>
        <source>“{folder}” is not there now</source>
        <translation>„{folder}“ ist gerade nicht da</translation>
    </message>
    <message>
        <source>Save and read them</source>
        <translation>Speichern und lesen</translation>
    </message>
    <message>
        <source>Add files to {library}</source>
        <translation>Dateien zu {library} hinzufügen</translation>
    </message>
    <message>
        <source>What do you want to know?</source>
        <translation>Was möchten Sie wissen?</translation>
    </message>
    <message>
        <source>Your question</source>
        <translation>Ihre Frage</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>Frage</translation>
    </message>
    <message>
        <source>Enter asks. Up and Down bring back earlier questions.</source>
        <translation>Mit der Eingabetaste fragen. Die Pfeile nach oben und unten holen frühere Fragen zurück.</translation>
    </message>
    <message>
        <source>Ask  (Enter)</source>
        <translation>Fragen  (Enter)</translation>
    </message>
    <message>
        <source>There is no question yet.</source>
        <translation>Es gibt noch keine Frage.</translation>
    </message>
    <message>
        <source>Type what you want to know, then press Enter.</source>
        <translation>Geben Sie ein, was Sie wissen möchten, und drücken Sie die Eingabetaste.</translation>
    </message>
    <message>
        <source>This file is not open.</source>
        <translation>Diese Datei ist nicht geöffnet.</translation>
    </message>
    <message>
        <source>The page says why. Your question stays here.</source>
        <translation>Den Grund nennt die Seite. Ihre Frage bleibt hier.</translation>
    </message>
    <message>
        <source>There is no text to read yet.</source>
        <translation>Es gibt noch keinen Text zu lesen.</translation>
    </message>
    <message>
        <source>Paste one on the page, or open a file (Ctrl+O).</source>
        <translation>Fügen Sie einen auf der Seite ein oder öffnen Sie eine Datei (Strg+O).</translation>
    </message>
    <message>
        <source>This document holds no text to read.</source>
        <translation>Dieses Dokument enthält keinen Text zum Lesen.</translation>
    </message>
    <message numerus="yes">
        <source>Not in the {n:,} open document.</source>
        <comment>Not in the {n:,} open documents.</comment>
        <translation>
            <numerusform>Nicht im geöffneten Dokument.</numerusform>
            <numerusform>In keinem der {n:,} geöffneten Dokumente.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not in {n:,} file.</source>
        <comment>Not in {n:,} files.</comment>
        <translation>
            <numerusform>Nicht in {n:,} Datei.</numerusform>
            <numerusform>Nicht in {n:,} Dateien.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not in {read:,} of {n:,} file.</source>
        <comment>Not in {read:,} of {n:,} files.</comment>
        <translation>
            <numerusform>Nicht in {read:,} von {n:,} Datei.</numerusform>
            <numerusform>Nicht in {read:,} von {n:,} Dateien.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} passage of {files} read in {time}</source>
        <comment>{n:,} passages of {files} read in {time}</comment>
        <translation>
            <numerusform>{n:,} Passage aus {files} in {time} gelesen</numerusform>
            <numerusform>{n:,} Passagen aus {files} in {time} gelesen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} file</source>
        <comment>{n:,} files</comment>
        <translation>
            <numerusform>{n:,} Datei</numerusform>
            <numerusform>{n:,} Dateien</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} character</source>
        <comment>{n:,} characters</comment>
        <translation>
            <numerusform>{n:,} Zeichen</numerusform>
            <numerusform>{n:,} Zeichen</numerusform>
        </translation>
    </message>
    <message>
        <source>The best passages of {length} read in {time}</source>
        <translation>Die besten Passagen aus {length} in {time} gelesen</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} page read whole in {time}</source>
        <comment>{n:,} pages read whole in {time}</comment>
        <translation>
            <numerusform>{n:,} Seite in {time} vollständig gelesen</numerusform>
            <numerusform>{n:,} Seiten in {time} vollständig gelesen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} character read whole in {time}</source>
        <comment>{n:,} characters read whole in {time}</comment>
        <translation>
            <numerusform>{n:,} Zeichen in {time} vollständig gelesen</numerusform>
            <numerusform>{n:,} Zeichen in {time} vollständig gelesen</numerusform>
        </translation>
    </message>
    <message>
        <source>{time}, {read}</source>
        <translation>{time}, {read}</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} passage read by {model}</source>
        <comment>{n:,} passages read by {model}</comment>
        <translation>
            <numerusform>{n:,} Passage, gelesen von {model}</numerusform>
            <numerusform>{n:,} Passagen, gelesen von {model}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} passage read in part by {model}</source>
        <comment>{n:,} passages read in part by {model}</comment>
        <translation>
            <numerusform>{n:,} Passage, teilweise gelesen von {model}</numerusform>
            <numerusform>{n:,} Passagen, teilweise gelesen von {model}</numerusform>
        </translation>
    </message>
    <message>
        <source>read in part by {model}</source>
        <translation>teilweise gelesen von {model}</translation>
    </message>
    <message>
        <source>read whole by {model}</source>
        <translation>vollständig gelesen von {model}</translation>
    </message>
    <message>
        <source>the best passages read by {model}</source>
        <translation>die besten Passagen, gelesen von {model}</translation>
    </message>
    <message>
        <source>the best passages found by {finder}, read by {model}</source>
        <translation>die besten Passagen, gefunden von {finder}, gelesen von {model}</translation>
    </message>
    <message>
        <source>in</source>
        <translation>in</translation>
    </message>
    <message>
        <source>What the question is asked of  (Alt+Down)</source>
        <translation>Wo gefragt wird  (Alt+↓)</translation>
    </message>
    <message>
        <source>Show the files that were not read</source>
        <translation>Nicht gelesene Dateien anzeigen</translation>
    </message>
    <message>
        <source>In this document</source>
        <translation>In diesem Dokument</translation>
    </message>
    <message>
        <source>In the open documents ({number:,})</source>
        <translation>In den geöffneten Dokumenten ({number:,})</translation>
    </message>
    <message>
        <source>In {library}	{read}</source>
        <translation>In {library}	{read}</translation>
    </message>
    <message>
        <source>Ask in {library}</source>
        <translation>In {library} fragen</translation>
    </message>
    <message>
        <source>the open documents</source>
        <translation>den geöffneten Dokumenten</translation>
    </message>
    <message>
        <source>Ask in the open documents</source>
        <translation>In den geöffneten Dokumenten fragen</translation>
    </message>
    <message>
        <source>this document</source>
        <translation>diesem Dokument</translation>
    </message>
    <message>
        <source>Ask in this document</source>
        <translation>In diesem Dokument fragen</translation>
    </message>
    <message>
        <source>{read}. Show the files that were not read</source>
        <translation>{read}. Nicht gelesene Dateien anzeigen</translation>
    </message>
    <message>
        <source>Reading again</source>
        <translation>Wird erneut gelesen</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Pausiert</translation>
    </message>
    <message numerus="yes">
        <source>Reading the best passages of {n:,} file</source>
        <comment>Reading the best passages of {n:,} files</comment>
        <translation>
            <numerusform>Die besten Passagen aus {n:,} Datei werden gelesen</numerusform>
            <numerusform>Die besten Passagen aus {n:,} Dateien werden gelesen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Reading {n:,} document</source>
        <comment>Reading {n:,} documents</comment>
        <translation>
            <numerusform>{n:,} Dokument wird gelesen</numerusform>
            <numerusform>{n:,} Dokumente werden gelesen</numerusform>
        </translation>
    </message>
    <message>
        <source>Select the right words in the document first, then press “These words instead”, or by keys Esc and then E.</source>
        <translation>Wählen Sie zuerst die richtigen Wörter im Dokument aus und drücken Sie dann „Stattdessen diese Wörter“ oder auf der Tastatur Esc und danach E.</translation>
    </message>
    <message>
        <source>Welcome to Spanlight</source>
        <translation>Willkommen bei Spanlight</translation>
    </message>
    <message>
        <source>Ask a document, and the answer lights up</source>
        <translation>Befragen Sie ein Dokument, und die Antwort leuchtet auf</translation>
    </message>
    <message>
        <source>Nothing that you open or ask leaves this computer.</source>
        <translation>Nichts, was Sie öffnen oder fragen, verlässt diesen Computer.</translation>
    </message>
    <message>
        <source>What you keep lies in {folder}</source>
        <translation>Ihre Daten liegen in {folder}</translation>
    </message>
    <message>
        <source>Open a file of yours…</source>
        <translation>Eigene Datei öffnen…</translation>
    </message>
    <message>
        <source>Got it</source>
        <translation>Verstanden</translation>
    </message>
    <message>
        <source>Put this away  (Esc)</source>
        <translation>Ausblenden  (Esc)</translation>
    </message>
    <message>
        <source>This is a sample. The question at the right is being asked about it, on this computer…</source>
        <translation>Dies ist ein Beispiel. Die Frage rechts wird gerade dazu gestellt, auf diesem Computer…</translation>
    </message>
    <message>
        <source>This is a sample. The question at the right was asked about it: its answer is lit up in the text.</source>
        <translation>Dies ist ein Beispiel. Die Frage rechts wurde dazu gestellt: Die Antwort ist im Text hervorgehoben.</translation>
    </message>
    <message>
        <source>This is a sample. Ask it something, or open a file of yours.</source>
        <translation>Dies ist ein Beispiel. Stellen Sie eine Frage dazu oder öffnen Sie eine eigene Datei.</translation>
    </message>
    <message>
        <source>In the find bar: next, previous place</source>
        <translation>In der Suchleiste: nächste, vorige Stelle</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>Nicht gefunden</translation>
    </message>
    <message>
        <source>{number:,} of {total:,}</source>
        <translation>{number:,} von {total:,}</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} place</source>
        <comment>{n:,} places</comment>
        <translation>
            <numerusform>{n:,} Stelle</numerusform>
            <numerusform>{n:,} Stellen</numerusform>
        </translation>
    </message>
    <message>
        <source>The page does not show exactly these words, so nothing is marked.</source>
        <translation>Die Seite zeigt nicht genau diese Wörter, daher ist nichts markiert.</translation>
    </message>
    <message>
        <source>The place that is shown</source>
        <translation>Die gezeigte Stelle</translation>
    </message>
    <message>
        <source>Another place</source>
        <translation>Eine andere Stelle</translation>
    </message>
    <message>
        <source>Place in the text</source>
        <translation>Stelle im Text</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} place marked</source>
        <comment>{n:,} places marked</comment>
        <translation>
            <numerusform>{n:,} Stelle markiert</numerusform>
            <numerusform>{n:,} Stellen markiert</numerusform>
        </translation>
    </message>
    <message>
        <source>Answers were seen here, at most {percent} likely</source>
        <translation>Hier zeigten sich Antworten, zu höchstens {percent} wahrscheinlich</translation>
    </message>
    <message>
        <source>at {percent}% of the text</source>
        <translation>bei {percent}&#xa0;% des Textes</translation>
    </message>
    <message>
        <source>at the start</source>
        <translation>am Anfang</translation>
    </message>
    <message>
        <source>Opening</source>
        <translation>Wird geöffnet</translation>
    </message>
    <message>
        <source>Document</source>
        <translation>Dokument</translation>
    </message>
    <message>
        <source>page {label} ({number:,} of {total:,})</source>
        <translation>Seite {label} ({number:,} von {total:,})</translation>
    </message>
    <message>
        <source>page {number:,} of {total:,}</source>
        <translation>Seite {number:,} von {total:,}</translation>
    </message>
    <message>
        <source>This page cannot be drawn.</source>
        <translation>Diese Seite lässt sich nicht darstellen.</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>Alles auswählen</translation>
    </message>
    <message>
        <source>{document}, page {number} of {total}</source>
        <translation>{document}, Seite {number} von {total}</translation>
    </message>
    <message>
        <source>Lit up: “{words}”</source>
        <translation>Hervorgehoben: „{words}“</translation>
    </message>
    <message>
        <source>The text says something else at this place by now.</source>
        <translation>Der Text sagt an dieser Stelle inzwischen etwas anderes.</translation>
    </message>
    <message>
        <source>Type or paste a text here</source>
        <translation>Text hier eingeben oder einfügen</translation>
    </message>
    <message>
        <source>What is a text</source>
        <translation>Was ein Text ist</translation>
    </message>
    <message>
        <source>One text</source>
        <translation>Ein Text</translation>
    </message>
    <message>
        <source>Each line is a text</source>
        <translation>Zeilenweise</translation>
    </message>
    <message>
        <source>Classify</source>
        <translation>Klassifizieren</translation>
    </message>
    <message>
        <source>Classify  (Ctrl+Enter)</source>
        <translation>Klassifizieren  (Strg+Enter)</translation>
    </message>
    <message>
        <source>The model sums the text up in one list of numbers, and by that list each class gets its probability.</source>
        <translation>Das Modell fasst den Text in einer Reihe von Zahlen zusammen; daraus ergibt sich für jede Klasse eine Wahrscheinlichkeit.</translation>
    </message>
    <message>
        <source>Classification from the pooled [CLS], BERT section 4.1.</source>
        <translation>Klassifikation aus dem gepoolten [CLS], BERT, Abschnitt 4.1.</translation>
    </message>
    <message>
        <source>Copy the table</source>
        <translation>Tabelle kopieren</translation>
    </message>
    <message>
        <source>Save as CSV…</source>
        <translation>Als CSV speichern…</translation>
    </message>
    <message>
        <source>Save as CSV</source>
        <translation>Als CSV speichern</translation>
    </message>
    <message>
        <source>Save as CSV  (Ctrl+S)</source>
        <translation>Als CSV speichern  (Strg+S)</translation>
    </message>
    <message>
        <source>Every class gets its probability. A long text is read whole, not cut.</source>
        <translation>Jede Klasse erhält ihre Wahrscheinlichkeit. Ein langer Text wird vollständig gelesen, nicht abgeschnitten.</translation>
    </message>
    <message>
        <source>{texts} classified</source>
        <translation>Klassifiziert: {texts}</translation>
    </message>
    <message>
        <source>{done:,} of {texts}</source>
        <translation>{texts}, davon {done:,} fertig</translation>
    </message>
    <message>
        <source>{texts} of {file}</source>
        <translation>{texts} ({file})</translation>
    </message>
    <message>
        <source>{labels} and {more} more</source>
        <translation>{labels} und {more} weitere</translation>
    </message>
    <message>
        <source>{model} tells apart: {labels}</source>
        <translation>{model} unterscheidet: {labels}</translation>
    </message>
    <message>
        <source>{model} looks for: {labels}</source>
        <translation>{model} sucht nach: {labels}</translation>
    </message>
    <message>
        <source>{model} gives values of: {labels}</source>
        <translation>{model} gibt Werte für: {labels}</translation>
    </message>
    <message>
        <source>Open a text file</source>
        <translation>Textdatei öffnen</translation>
    </message>
    <message>
        <source>Go to the text</source>
        <translation>Zum Text</translation>
    </message>
    <message>
        <source>Save the table as CSV</source>
        <translation>Die Tabelle als CSV speichern</translation>
    </message>
    <message>
        <source>Look inside: how the model came to it</source>
        <translation>Hineinsehen: wie das Modell dazu kam</translation>
    </message>
    <message>
        <source>Copy the chosen rows, or the probabilities</source>
        <translation>Die ausgewählten Zeilen oder die Wahrscheinlichkeiten kopieren</translation>
    </message>
    <message>
        <source>Texts and tables (*.txt *.md *.csv *.tsv *.xlsx *.jsonl);;All files (*)</source>
        <translation>Texte und Tabellen (*.txt *.md *.csv *.tsv *.xlsx *.jsonl);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Text to classify</source>
        <translation>Zu klassifizierender Text</translation>
    </message>
    <message>
        <source>Type or paste a text, or drop a text file here.</source>
        <translation>Text eingeben oder einfügen oder eine Textdatei hier ablegen.</translation>
    </message>
    <message>
        <source>There is nothing to classify yet.</source>
        <translation>Es gibt noch nichts zu klassifizieren.</translation>
    </message>
    <message>
        <source>Type or paste a text first.</source>
        <translation>Geben Sie zuerst einen Text ein.</translation>
    </message>
    <message>
        <source>Getting ready to classify the text</source>
        <translation>Klassifizieren des Textes wird vorbereitet</translation>
    </message>
    <message numerus="yes">
        <source>Getting ready to classify {n:,} text</source>
        <comment>Getting ready to classify {n:,} texts</comment>
        <translation>
            <numerusform>Klassifizieren von {n:,} Text wird vorbereitet</numerusform>
            <numerusform>Klassifizieren von {n:,} Texten wird vorbereitet</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} window</source>
        <comment>{n:,} windows</comment>
        <translation>
            <numerusform>{n:,} Fenster</numerusform>
            <numerusform>{n:,} Fenster</numerusform>
        </translation>
    </message>
    <message>
        <source>1 text ({windows}) classified in {time}</source>
        <translation>1 Text ({windows}) in {time} klassifiziert</translation>
    </message>
    <message>
        <source>{number:,} texts classified in {time}</source>
        <translation>{number:,} Texte in {time} klassifiziert</translation>
    </message>
    <message>
        <source>Save the table</source>
        <translation>Tabelle speichern</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} row saved</source>
        <comment>{n:,} rows saved</comment>
        <translation>
            <numerusform>{n:,} Zeile gespeichert</numerusform>
            <numerusform>{n:,} Zeilen gespeichert</numerusform>
        </translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>Label</translation>
    </message>
    <message>
        <source>Probability</source>
        <translation>Wahrscheinlichkeit</translation>
    </message>
    <message>
        <source>Texts and their classes</source>
        <translation>Texte und ihre Klassen</translation>
    </message>
    <message>
        <source>Fill in</source>
        <translation>Lücken füllen</translation>
    </message>
    <message>
        <source>Find words for the blanks</source>
        <translation>Wörter für die Lücken finden</translation>
    </message>
    <message>
        <source>Make a blank of the selected word</source>
        <translation>Das ausgewählte Wort zur Lücke machen</translation>
    </message>
    <message>
        <source>Next blank</source>
        <translation>Nächste Lücke</translation>
    </message>
    <message>
        <source>Previous blank</source>
        <translation>Vorige Lücke</translation>
    </message>
    <message>
        <source>Put a word of the list in its place; in the list 1 … 9, Enter</source>
        <translation>Ein Wort der Liste einsetzen; in der Liste 1 … 9, Enter</translation>
    </message>
    <message>
        <source>Give the blank back</source>
        <translation>Lücke wiederherstellen</translation>
    </message>
    <message>
        <source>Text with blanks</source>
        <translation>Text mit Lücken</translation>
    </message>
    <message>
        <source>Type or paste a text with ___ where a word is missing.</source>
        <translation>Text mit ___ für jedes fehlende Wort eingeben oder einfügen.</translation>
    </message>
    <message>
        <source>There is no blank yet.</source>
        <translation>Es gibt noch keine Lücke.</translation>
    </message>
    <message>
        <source>Type ___ where a word is missing, or make a blank of a word.</source>
        <translation>Geben Sie ___ ein, wo ein Wort fehlt, oder machen Sie ein Wort zur Lücke.</translation>
    </message>
    <message numerus="yes">
        <source>Getting ready to fill in the blank</source>
        <comment>Getting ready to fill in {n:,} blanks</comment>
        <translation>
            <numerusform>Füllen der Lücke wird vorbereitet</numerusform>
            <numerusform>Füllen von {n:,} Lücken wird vorbereitet</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Words for {n:,} blank found in {time}</source>
        <comment>Words for {n:,} blanks found in {time}</comment>
        <translation>
            <numerusform>Wörter für {n:,} Lücke in {time} gefunden</numerusform>
            <numerusform>Wörter für {n:,} Lücken in {time} gefunden</numerusform>
        </translation>
    </message>
    <message>
        <source>“{word}” put in its place; Ctrl+Z gives the blank back</source>
        <translation>„{word}“ eingesetzt; Strg+Z stellt die Lücke wieder her</translation>
    </message>
    <message>
        <source>Select one word, or a few, without a blank among them.</source>
        <translation>Wählen Sie ein Wort oder einige Wörter ohne Lücke dazwischen aus.</translation>
    </message>
    <message>
        <source>That cannot become a blank.</source>
        <translation>Daraus kann keine Lücke werden.</translation>
    </message>
    <message>
        <source>Type a text with ___ where a word is missing, or select a word and make a blank of it.</source>
        <translation>Geben Sie einen Text mit ___ für jedes fehlende Wort ein oder wählen Sie ein Wort aus und machen Sie es zur Lücke.</translation>
    </message>
    <message>
        <source>There is no blank yet. Type ___ where a word is missing, or select a word and press Ctrl+B.</source>
        <translation>Es gibt noch keine Lücke. Geben Sie ___ ein, wo ein Wort fehlt, oder wählen Sie ein Wort aus und drücken Sie Strg+B.</translation>
    </message>
    <message>
        <source>The model&apos;s vocabulary cannot spell this word</source>
        <translation>Das Vokabular des Modells kann dieses Wort nicht schreiben</translation>
    </message>
    <message>
        <source>{probability}, read as {pieces} pieces, one after the other</source>
        <translation>{probability}, gelesen als {pieces} Stücke nacheinander</translation>
    </message>
    <message>
        <source>{probability}, the likeliest of all</source>
        <translation>{probability}, das wahrscheinlichste von allen</translation>
    </message>
    <message>
        <source>{probability}, number {rank:,} in the model&apos;s vocabulary</source>
        <translation>{probability}, Nummer {rank:,} im Vokabular des Modells</translation>
    </message>
    <message>
        <source>How likely is …</source>
        <translation>Wie wahrscheinlich ist …</translation>
    </message>
    <message>
        <source>any word</source>
        <translation>ein Wort</translation>
    </message>
    <message>
        <source>How likely is this word in the blank</source>
        <translation>Wie wahrscheinlich dieses Wort in der Lücke ist</translation>
    </message>
    <message>
        <source>Ask how likely the word is</source>
        <translation>Fragen, wie wahrscheinlich das Wort ist</translation>
    </message>
    <message>
        <source>Go to the previous blank</source>
        <translation>Zur vorigen Lücke</translation>
    </message>
    <message>
        <source>Go to the next blank</source>
        <translation>Zur nächsten Lücke</translation>
    </message>
    <message>
        <source>Click a word, or press Alt and its number.</source>
        <translation>Klicken Sie auf ein Wort oder drücken Sie Alt und seine Nummer.</translation>
    </message>
    <message>
        <source>Words for the blank</source>
        <translation>Wörter für die Lücke</translation>
    </message>
    <message>
        <source>Blank {number} of {count}</source>
        <translation>Lücke {number} von {count}</translation>
    </message>
    <message>
        <source>The blank</source>
        <translation>Die Lücke</translation>
    </message>
    <message>
        <source>Put “{word}” back</source>
        <translation>„{word}“ wieder einsetzen</translation>
    </message>
    <message>
        <source>Make a blank of the selected word  (Ctrl+B)</source>
        <translation>Das ausgewählte Wort zur Lücke machen  (Strg+B)</translation>
    </message>
    <message>
        <source>Make a blank</source>
        <translation>Zur Lücke machen</translation>
    </message>
    <message>
        <source>Fill in  (Ctrl+Enter)</source>
        <translation>Lücken füllen  (Strg+Enter)</translation>
    </message>
    <message>
        <source>Each blank is hidden from the model. From the words on both sides it says what may stand there.</source>
        <translation>Das Modell sieht nicht, was in den Lücken stand. Aus den Wörtern zu beiden Seiten schließt es, was dort stehen kann.</translation>
    </message>
    <message>
        <source>Masked words, BERT section 3.1, Task #1.</source>
        <translation>Maskierte Wörter, BERT, Abschnitt 3.1, Task #1.</translation>
    </message>
    <message numerus="yes">
        <source>Ctrl+Enter finds the words for it.</source>
        <comment>Ctrl+Enter finds the words for all {n} blanks.</comment>
        <translation>
            <numerusform>Strg+Enter findet die Wörter dafür.</numerusform>
            <numerusform>Strg+Enter findet die Wörter für alle {n} Lücken.</numerusform>
        </translation>
    </message>
    <message>
        <source>{model} fills in</source>
        <translation>{model} füllt die Lücken</translation>
    </message>
    <message numerus="yes">
        <source>{kind}, {n:,} name</source>
        <comment>{kind}, {n:,} names</comment>
        <translation>
            <numerusform>{kind}, {n:,} Name</numerusform>
            <numerusform>{kind}, {n:,} Namen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} name</source>
        <comment>{n:,} names</comment>
        <translation>
            <numerusform>{n:,} Name</numerusform>
            <numerusform>{n:,} Namen</numerusform>
        </translation>
    </message>
    <message>
        <source>{place:,} of {count:,}</source>
        <translation>{place:,} von {count:,}</translation>
    </message>
    <message>
        <source>Names found</source>
        <translation>Gefundene Namen</translation>
    </message>
    <message>
        <source>The name that is shown</source>
        <translation>Der gezeigte Name</translation>
    </message>
    <message>
        <source>The same name</source>
        <translation>Derselbe Name</translation>
    </message>
    <message>
        <source>Text with names</source>
        <translation>Text mit Namen</translation>
    </message>
    <message>
        <source>Type or paste a text, or drop a file here.</source>
        <translation>Text eingeben oder einfügen oder eine Datei hier ablegen.</translation>
    </message>
    <message>
        <source>Names</source>
        <translation>Namen</translation>
    </message>
    <message>
        <source>Find names</source>
        <translation>Namen finden</translation>
    </message>
    <message>
        <source>Stop; the names found so far stay</source>
        <translation>Stopp; die bisher gefundenen Namen bleiben</translation>
    </message>
    <message>
        <source>Next name in the text</source>
        <translation>Nächster Name im Text</translation>
    </message>
    <message>
        <source>Previous name</source>
        <translation>Voriger Name</translation>
    </message>
    <message>
        <source>Next place of the chosen name, in the list</source>
        <translation>Nächste Stelle des ausgewählten Namens, in der Liste</translation>
    </message>
    <message>
        <source>Open a file</source>
        <translation>Datei öffnen</translation>
    </message>
    <message>
        <source>Save the names</source>
        <translation>Namen speichern</translation>
    </message>
    <message>
        <source>Copy the names as a table, or what is selected</source>
        <translation>Die Namen als Tabelle kopieren, oder das Ausgewählte</translation>
    </message>
    <message>
        <source>There is no text yet.</source>
        <translation>Es gibt noch keinen Text.</translation>
    </message>
    <message>
        <source>Type or paste one, or open a file.</source>
        <translation>Geben Sie einen ein oder öffnen Sie eine Datei.</translation>
    </message>
    <message>
        <source>Getting ready to read</source>
        <translation>Lesen wird vorbereitet</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} name in {length} found in {time}</source>
        <comment>{n:,} names in {length} found in {time}</comment>
        <translation>
            <numerusform>{n:,} Name in {time} gefunden ({length})</numerusform>
            <numerusform>{n:,} Namen in {time} gefunden ({length})</numerusform>
        </translation>
    </message>
    <message>
        <source>Not all of it was read: later names are missing. Ctrl+Enter reads the whole text.</source>
        <translation>Nicht alles wurde gelesen: Spätere Namen fehlen. Strg+Enter liest den ganzen Text.</translation>
    </message>
    <message>
        <source>Later names are missing. Ctrl+Enter reads the whole text.</source>
        <translation>Spätere Namen fehlen. Strg+Eingabe liest den ganzen Text.</translation>
    </message>
    <message>
        <source>Very long lines were broken, so that they can be shown</source>
        <translation>Sehr lange Zeilen wurden umbrochen, damit sie sich anzeigen lassen</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} name copied</source>
        <comment>{n:,} names copied</comment>
        <translation>
            <numerusform>{n:,} Name kopiert</numerusform>
            <numerusform>{n:,} Namen kopiert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} name saved</source>
        <comment>{n:,} names saved</comment>
        <translation>
            <numerusform>{n:,} Name gespeichert</numerusform>
            <numerusform>{n:,} Namen gespeichert</numerusform>
        </translation>
    </message>
    <message>
        <source>People, places and other names light up in the text, each type in its own look. A long text is read whole.</source>
        <translation>Personen, Orte und andere Namen werden im Text hervorgehoben, jeder Typ auf eigene Art. Ein langer Text wird vollständig gelesen.</translation>
    </message>
    <message>
        <source>No names were found in this text.</source>
        <translation>In diesem Text wurden keine Namen gefunden.</translation>
    </message>
    <message>
        <source>First piece</source>
        <translation>Erstes Stück</translation>
    </message>
    <message>
        <source>Average</source>
        <translation>Durchschnitt</translation>
    </message>
    <message>
        <source>Surest piece</source>
        <translation>Sicherstes Stück</translation>
    </message>
    <message>
        <source>Its first piece&apos;s tag is the word&apos;s:</source>
        <translation>Das Tag des ersten Stücks gilt für das Wort:</translation>
    </message>
    <message>
        <source>Its pieces&apos; probabilities are averaged:</source>
        <translation>Die Wahrscheinlichkeiten der Stücke werden gemittelt:</translation>
    </message>
    <message>
        <source>The piece that the model is surest of counts:</source>
        <translation>Es zählt das Stück, bei dem das Modell am sichersten ist:</translation>
    </message>
    <message>
        <source>Types of names</source>
        <translation>Typen von Namen</translation>
    </message>
    <message>
        <source>{label}: show or hide on the page</source>
        <translation>{label}: auf der Seite anzeigen oder ausblenden</translation>
    </message>
    <message numerus="yes">
        <source>Show {kind}, {n:,} place</source>
        <comment>Show {kind}, {n:,} places</comment>
        <translation>
            <numerusform>{kind} anzeigen, {n:,} Stelle</numerusform>
            <numerusform>{kind} anzeigen, {n:,} Stellen</numerusform>
        </translation>
    </message>
    <message>
        <source>A word read in pieces goes by its</source>
        <translation>Bei zerlegten Wörtern zählt</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>Öffnen…</translation>
    </message>
    <message>
        <source>Open a file  (Ctrl+O)</source>
        <translation>Datei öffnen  (Strg+O)</translation>
    </message>
    <message>
        <source>Find names  (Ctrl+Enter)</source>
        <translation>Namen finden  (Strg+Enter)</translation>
    </message>
    <message>
        <source>Copy the names as a table  (Ctrl+C)</source>
        <translation>Die Namen als Tabelle kopieren  (Strg+C)</translation>
    </message>
    <message>
        <source>Copy the names</source>
        <translation>Namen kopieren</translation>
    </message>
    <message>
        <source>Save the names  (Ctrl+S)</source>
        <translation>Namen speichern  (Strg+S)</translation>
    </message>
    <message>
        <source>Save as</source>
        <translation>Speichern als</translation>
    </message>
    <message>
        <source>Every word gets a tag that says whether a name of some type begins or goes on there.</source>
        <translation>Jedes Wort erhält ein Tag, das sagt, ob dort ein Name beginnt oder weitergeht und von welchem Typ er ist.</translation>
    </message>
    <message>
        <source>Token classification, BERT section 5.3.</source>
        <translation>Token-Klassifikation, BERT, Abschnitt 5.3.</translation>
    </message>
    <message>
        <source>The model was changed since. Ctrl+Enter finds the names.</source>
        <translation>Das Modell wurde seither gewechselt. Strg+Enter findet die Namen.</translation>
    </message>
    <message>
        <source>The text was changed since. Ctrl+Enter finds the names.</source>
        <translation>Der Text wurde seither geändert. Strg+Enter findet die Namen.</translation>
    </message>
    <message>
        <source>The names are found by {model}</source>
        <translation>{model} findet die Namen</translation>
    </message>
    <message>
        <source>Two passages: does the second come right after the first, or from somewhere else?</source>
        <translation>Zwei Passagen: Folgt die zweite direkt auf die erste, oder stammt sie von anderswo?</translation>
    </message>
    <message>
        <source>Ctrl+Enter tells whether the second continues the first.</source>
        <translation>Strg+Enter sagt, ob die zweite an die erste anschließt.</translation>
    </message>
    <message>
        <source>The first passage is longer than the model reads: its end was read.</source>
        <translation>Die erste Passage ist länger, als das Modell liest: Ihr Ende wurde gelesen.</translation>
    </message>
    <message>
        <source>The second passage is longer than the model reads: its beginning was read.</source>
        <translation>Die zweite Passage ist länger, als das Modell liest: Ihr Anfang wurde gelesen.</translation>
    </message>
    <message>
        <source>Undecided, {percent}</source>
        <translation>Unentschieden, {percent}</translation>
    </message>
    <message>
        <source>The model leans to the second passage coming right after the first.</source>
        <translation>Das Modell hält es für etwas wahrscheinlicher, dass die zweite Passage direkt auf die erste folgt.</translation>
    </message>
    <message>
        <source>It may continue</source>
        <translation>Schließt vielleicht an</translation>
    </message>
    <message>
        <source>The model leans to the second passage being from somewhere else.</source>
        <translation>Das Modell hält es für etwas wahrscheinlicher, dass die zweite Passage von anderswo stammt.</translation>
    </message>
    <message>
        <source>It may not</source>
        <translation>Vielleicht nicht</translation>
    </message>
    <message>
        <source>The model takes the second passage for what comes right after the first.</source>
        <translation>Das Modell nimmt an, dass die zweite Passage direkt auf die erste folgt.</translation>
    </message>
    <message>
        <source>It continues</source>
        <translation>Schließt an</translation>
    </message>
    <message>
        <source>It does not</source>
        <translation>Schließt nicht an</translation>
    </message>
    <message>
        <source>The model takes the second passage for one from somewhere else.</source>
        <translation>Das Modell nimmt an, dass die zweite Passage von anderswo stammt.</translation>
    </message>
    <message>
        <source>Probabilities</source>
        <translation>Wahrscheinlichkeiten</translation>
    </message>
    <message>
        <source>Whether it continues</source>
        <translation>Ob sie anschließt</translation>
    </message>
    <message>
        <source>Continues</source>
        <translation>Schließt an</translation>
    </message>
    <message>
        <source>Does not</source>
        <translation>Schließt nicht an</translation>
    </message>
    <message>
        <source>Logits: {first} continues, {second} does not</source>
        <translation>Logits: {first} für „schließt an“, {second} für „schließt nicht an“</translation>
    </message>
    <message>
        <source>Swap</source>
        <translation>Tauschen</translation>
    </message>
    <message>
        <source>Swap the passages</source>
        <translation>Passagen tauschen</translation>
    </message>
    <message>
        <source>Swap the passages  (Ctrl+T)</source>
        <translation>Passagen tauschen  (Strg+T)</translation>
    </message>
    <message>
        <source>Tell whether the second continues the first  (Ctrl+Enter)</source>
        <translation>Prüfen, ob die zweite an die erste anschließt  (Strg+Enter)</translation>
    </message>
    <message>
        <source>The model reads both passages together and says whether the second comes right after the first.</source>
        <translation>Das Modell liest beide Passagen zusammen und sagt, ob die zweite direkt auf die erste folgt.</translation>
    </message>
    <message>
        <source>Next sentence prediction, BERT section 3.1, Task #2.</source>
        <translation>Vorhersage des nächsten Satzes, BERT, Abschnitt 3.1, Task #2.</translation>
    </message>
    <message>
        <source>{model} tells what follows</source>
        <translation>{model} erkennt, was folgt</translation>
    </message>
    <message>
        <source>First passage</source>
        <translation>Erste Passage</translation>
    </message>
    <message>
        <source>Type or paste a passage, or drop a text file here.</source>
        <translation>Passage eingeben oder einfügen oder eine Textdatei hier ablegen.</translation>
    </message>
    <message>
        <source>Second passage</source>
        <translation>Zweite Passage</translation>
    </message>
    <message>
        <source>And the one that may come right after it.</source>
        <translation>Und die, die vielleicht direkt darauf folgt.</translation>
    </message>
    <message>
        <source>Next sentence</source>
        <translation>Nächster Satz</translation>
    </message>
    <message>
        <source>Tell whether the second passage follows</source>
        <translation>Prüfen, ob die zweite Passage anschließt</translation>
    </message>
    <message>
        <source>Find in the passage</source>
        <translation>In der Passage suchen</translation>
    </message>
    <message>
        <source>Open a text file, or two</source>
        <translation>Eine oder zwei Textdateien öffnen</translation>
    </message>
    <message>
        <source>Go to the first passage</source>
        <translation>Zur ersten Passage</translation>
    </message>
    <message>
        <source>It takes two: type or paste it.</source>
        <translation>Nötig sind zwei: Geben Sie die fehlende ein oder fügen Sie sie ein.</translation>
    </message>
    <message>
        <source>Getting ready to read both passages</source>
        <translation>Lesen beider Passagen wird vorbereitet</translation>
    </message>
    <message>
        <source>Two passages read in {time}</source>
        <translation>Zwei Passagen in {time} gelesen</translation>
    </message>
    <message>
        <source>Loading the classifier…</source>
        <translation>Klassifikator wird geladen…</translation>
    </message>
    <message>
        <source>the loading of the classifier</source>
        <translation>das Laden des Klassifikators</translation>
    </message>
    <message>
        <source>Classifier ready</source>
        <translation>Klassifikator bereit</translation>
    </message>
    <message>
        <source>Loading the model for blanks…</source>
        <translation>Modell für Lücken wird geladen…</translation>
    </message>
    <message>
        <source>the loading of the model for blanks</source>
        <translation>das Laden des Modells für Lücken</translation>
    </message>
    <message>
        <source>Model for blanks ready</source>
        <translation>Modell für Lücken bereit</translation>
    </message>
    <message>
        <source>Loading the model for passages…</source>
        <translation>Modell für Folgesätze wird geladen…</translation>
    </message>
    <message>
        <source>the loading of the model for passages</source>
        <translation>das Laden des Modells für Folgesätze</translation>
    </message>
    <message>
        <source>Model for passages ready</source>
        <translation>Modell für Folgesätze bereit</translation>
    </message>
    <message>
        <source>Loading the name finder…</source>
        <translation>Modell für Namen wird geladen…</translation>
    </message>
    <message>
        <source>the loading of the name finder</source>
        <translation>das Laden des Modells für Namen</translation>
    </message>
    <message>
        <source>Name finder ready</source>
        <translation>Modell für Namen bereit</translation>
    </message>
    <message>
        <source>{ready}, on {device}</source>
        <translation>{ready} ({device})</translation>
    </message>
    <message>
        <source>{first} and {second}</source>
        <translation>{first} und {second}</translation>
    </message>
    <message>
        <source>Opening {files}</source>
        <translation>Wird geöffnet: {files}</translation>
    </message>
    <message>
        <source>Text (*.txt *.md);;All files (*)</source>
        <translation>Text (*.txt *.md);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>the work on {page}</source>
        <translation>die Arbeit auf der Seite „{page}“</translation>
    </message>
    <message>
        <source>{files} opened</source>
        <translation>{files} geöffnet</translation>
    </message>
    <message>
        <source>{model} is used for {page} now</source>
        <translation>{model} wird jetzt für „{page}“ verwendet</translation>
    </message>
    <message>
        <source>Choose a model in the settings</source>
        <translation>Modell in den Einstellungen wählen</translation>
    </message>
    <message>
        <source>Try one of these</source>
        <translation>Ein Beispiel ausprobieren</translation>
    </message>
    <message>
        <source>The model was changed since.</source>
        <translation>Das Modell wurde seither gewechselt.</translation>
    </message>
    <message>
        <source>The text was changed since.</source>
        <translation>Der Text wurde seither geändert.</translation>
    </message>
    <message>
        <source>Open it with Enter, type the password there, and ask again there.</source>
        <translation>Öffnen Sie es mit der Eingabetaste, geben Sie dort das Passwort ein und fragen Sie dort erneut.</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Open the document there</source>
        <translation>Das Dokument an dieser Stelle öffnen</translation>
    </message>
    <message>
        <source>Ask again, and see what changed</source>
        <translation>Erneut fragen und sehen, was sich geändert hat</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Bring back what was deleted</source>
        <translation>Gelöschtes wiederherstellen</translation>
    </message>
    <message>
        <source>Copy the answer with where it stands</source>
        <translation>Die Antwort mit Fundstelle kopieren</translation>
    </message>
    <message>
        <source>“{question}” deleted</source>
        <translation>„{question}“ gelöscht</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} question deleted</source>
        <comment>{n:,} questions deleted</comment>
        <translation>
            <numerusform>{n:,} Frage gelöscht</numerusform>
            <numerusform>{n:,} Fragen gelöscht</numerusform>
        </translation>
    </message>
    <message>
        <source>Asking again: {question}</source>
        <translation>Wird erneut gestellt: {question}</translation>
    </message>
    <message>
        <source>Asking again…</source>
        <translation>Die Frage wird erneut gestellt…</translation>
    </message>
    <message>
        <source>the work on History</source>
        <translation>die Arbeit auf der Seite „Verlauf“</translation>
    </message>
    <message>
        <source>Exporting</source>
        <translation>Wird exportiert</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} answer exported to {files}</source>
        <comment>{n:,} answers exported to {files}</comment>
        <translation>
            <numerusform>{n:,} Antwort exportiert nach {files}</numerusform>
            <numerusform>{n:,} Antworten exportiert nach {files}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} answer exported to no file</source>
        <comment>{n:,} answers exported to no file</comment>
        <translation>
            <numerusform>{n:,} Antwort in keine Datei exportiert</numerusform>
            <numerusform>{n:,} Antworten in keine Datei exportiert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>And {n:,} more of this kind.</source>
        <comment>And {n:,} more of this kind.</comment>
        <translation>
            <numerusform>Und {n:,} weitere dieser Art.</numerusform>
            <numerusform>Und {n:,} weitere dieser Art.</numerusform>
        </translation>
    </message>
    <message>
        <source>answers{suffix}</source>
        <translation>Antworten{suffix}</translation>
    </message>
    <message>
        <source>Export: {format}</source>
        <translation>Export: {format}</translation>
    </message>
    <message>
        <source>From now on nothing is kept.</source>
        <translation>Ab jetzt wird nichts mehr gespeichert.</translation>
    </message>
    <message>
        <source>What stands here stays until you delete it.</source>
        <translation>Was hier steht, bleibt, bis Sie es löschen.</translation>
    </message>
    <message>
        <source>Copied with where it stands</source>
        <translation>Mit Fundstelle kopiert</translation>
    </message>
    <message>
        <source>Open the document there  (Enter)</source>
        <translation>Das Dokument an dieser Stelle öffnen  (Enter)</translation>
    </message>
    <message>
        <source>Check again</source>
        <translation>Erneut prüfen</translation>
    </message>
    <message>
        <source>Ask again, and see what changed  (F5)</source>
        <translation>Erneut fragen und sehen, was sich geändert hat  (F5)</translation>
    </message>
    <message>
        <source>Delete  (Del)</source>
        <translation>Löschen  (Entf)</translation>
    </message>
    <message>
        <source>What was asked before</source>
        <translation>Was früher gefragt wurde</translation>
    </message>
    <message>
        <source>Nothing asked yet</source>
        <translation>Noch nichts gefragt</translation>
    </message>
    <message>
        <source>Ask a document something: the question, its answer and the place are kept here.</source>
        <translation>Befragen Sie ein Dokument: Die Frage, die Antwort und die Stelle werden hier gespeichert.</translation>
    </message>
    <message>
        <source>No history is kept</source>
        <translation>Es wird kein Verlauf geführt</translation>
    </message>
    <message>
        <source>What you ask is not kept. The switch below changes that.</source>
        <translation>Was Sie fragen, wird nicht gespeichert. Der Schalter unten ändert das.</translation>
    </message>
    <message>
        <source>Keep a history</source>
        <translation>Verlauf führen</translation>
    </message>
    <message>
        <source>Questions, their answers and pasted texts are kept, on this computer only</source>
        <translation>Fragen, ihre Antworten und eingefügte Texte werden gespeichert, nur auf diesem Computer</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportieren…</translation>
    </message>
    <message>
        <source>Delete everything…</source>
        <translation>Alles löschen…</translation>
    </message>
    <message>
        <source>Delete everything</source>
        <translation>Alles löschen</translation>
    </message>
    <message numerus="yes">
        <source>Delete {n:,} question and its answer for good? This cannot be undone.</source>
        <comment>Delete {n:,} questions and their answers for good? This cannot be undone.</comment>
        <translation>
            <numerusform>{n:,} Frage und ihre Antwort endgültig löschen? Das lässt sich nicht rückgängig machen.</numerusform>
            <numerusform>{n:,} Fragen und ihre Antworten endgültig löschen? Das lässt sich nicht rückgängig machen.</numerusform>
        </translation>
    </message>
    <message>
        <source>Search questions, answers and documents</source>
        <translation>Fragen, Antworten und Dokumente durchsuchen</translation>
    </message>
    <message>
        <source>No question, answer or document here has “{words}”.</source>
        <translation>Keine Frage, keine Antwort und kein Dokument hier enthält „{words}“.</translation>
    </message>
    <message>
        <source>Show everything</source>
        <translation>Alles anzeigen</translation>
    </message>
    <message>
        <source>Ask a question</source>
        <translation>Frage stellen</translation>
    </message>
    <message>
        <source>To the page where documents are asked  (Ctrl+1)</source>
        <translation>Zur Seite, auf der Dokumente befragt werden  (Strg+1)</translation>
    </message>
    <message>
        <source>Point at a token to see what it looks at, or walk with the arrow keys.</source>
        <translation>Zeigen Sie auf ein Token, um zu sehen, worauf es blickt, oder benutzen Sie die Pfeiltasten.</translation>
    </message>
    <message>
        <source>most at the token itself, {percent} on average</source>
        <translation>am meisten auf das Token selbst, im Mittel {percent}</translation>
    </message>
    <message>
        <source>most at the token before, {percent} on average</source>
        <translation>am meisten auf das Token davor, im Mittel {percent}</translation>
    </message>
    <message>
        <source>most at the token behind, {percent} on average</source>
        <translation>am meisten auf das Token danach, im Mittel {percent}</translation>
    </message>
    <message>
        <source>most at “{label}” (token {number}), {percent} on average</source>
        <translation>am meisten auf „{label}“ (Token {number}), im Mittel {percent}</translation>
    </message>
    <message>
        <source>Heads of this layer</source>
        <translation>Köpfe dieser Schicht</translation>
    </message>
    <message>
        <source>Head {number} of {count} looks {where}</source>
        <translation>Kopf {number} von {count} blickt {where}</translation>
    </message>
    <message>
        <source>head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>looks</source>
        <translation>blickt</translation>
    </message>
    <message>
        <source>What a token looks at</source>
        <translation>Worauf ein Token blickt</translation>
    </message>
    <message>
        <source>“{label}” {weight}</source>
        <translation>„{label}“ {weight}</translation>
    </message>
    <message>
        <source>{token} looks at {others}</source>
        <translation>{token} blickt auf {others}</translation>
    </message>
    <message>
        <source>from</source>
        <translation>von</translation>
    </message>
    <message>
        <source>to</source>
        <translation>nach</translation>
    </message>
    <message>
        <source>piece</source>
        <translation>Stück</translation>
    </message>
    <message>
        <source>weight</source>
        <translation>Gewicht</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>To</source>
        <translation>Nach</translation>
    </message>
    <message>
        <source>Attention weight</source>
        <translation>Attention-Gewicht</translation>
    </message>
    <message>
        <source>Attention of layer {layer}, head {head}</source>
        <translation>Attention der Schicht {layer}, Kopf {head}</translation>
    </message>
    <message>
        <source>“{one}” looks at “{other}”</source>
        <translation>„{one}“ blickt auf „{other}“</translation>
    </message>
    <message>
        <source>Token {one} to token {other}</source>
        <translation>Token {one} auf Token {other}</translation>
    </message>
    <message>
        <source>Weight {weight}</source>
        <translation>Gewicht {weight}</translation>
    </message>
    <message>
        <source>token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Numbers (*.csv)</source>
        <translation>Zahlen (*.csv)</translation>
    </message>
    <message>
        <source>Picture (*.png)</source>
        <translation>Bild (*.png)</translation>
    </message>
    <message>
        <source>Drawing (*.svg)</source>
        <translation>Zeichnung (*.svg)</translation>
    </message>
    <message>
        <source>Show the numbers as a table</source>
        <translation>Zahlen als Tabelle anzeigen</translation>
    </message>
    <message>
        <source>Copy numbers</source>
        <translation>Zahlen kopieren</translation>
    </message>
    <message>
        <source>Copy the numbers for a spreadsheet</source>
        <translation>Die Zahlen für eine Tabellenkalkulation kopieren</translation>
    </message>
    <message>
        <source>Copy picture</source>
        <translation>Bild kopieren</translation>
    </message>
    <message>
        <source>Copy the chart as a picture</source>
        <translation>Das Diagramm als Bild kopieren</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Speichern…</translation>
    </message>
    <message>
        <source>Save the numbers (CSV) or the picture (PNG, SVG)</source>
        <translation>Die Zahlen (CSV) oder das Bild (PNG, SVG) speichern</translation>
    </message>
    <message>
        <source>Hide the numbers</source>
        <translation>Zahlen ausblenden</translation>
    </message>
    <message>
        <source>{chart}: numbers</source>
        <translation>{chart}: Zahlen</translation>
    </message>
    <message>
        <source>Numbers copied</source>
        <translation>Zahlen kopiert</translation>
    </message>
    <message>
        <source>Picture copied</source>
        <translation>Bild kopiert</translation>
    </message>
    <message>
        <source>Save {title}</source>
        <translation>{title} speichern</translation>
    </message>
    <message>
        <source>{file} saved</source>
        <translation>{file} gespeichert</translation>
    </message>
    <message numerus="yes">
        <source>The text as the model reads it: {n:,} token, window {window} of {windows:,}</source>
        <comment>The text as the model reads it: {n:,} tokens, window {window} of {windows:,}</comment>
        <translation>
            <numerusform>Der Text, wie das Modell ihn liest: {n:,} Token, Fenster {window} von {windows:,}</numerusform>
            <numerusform>Der Text, wie das Modell ihn liest: {n:,} Tokens, Fenster {window} von {windows:,}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The text as the model reads it: {n:,} token</source>
        <comment>The text as the model reads it: {n:,} tokens</comment>
        <translation>
            <numerusform>Der Text, wie das Modell ihn liest: {n:,} Token</numerusform>
            <numerusform>Der Text, wie das Modell ihn liest: {n:,} Tokens</numerusform>
        </translation>
    </message>
    <message>
        <source>and {number:,} more</source>
        <translation>und {number:,} weitere</translation>
    </message>
    <message>
        <source>{stage}, at training only</source>
        <translation>{stage}, nur beim Training</translation>
    </message>
    <message>
        <source>Every token’s state: a row of numbers for each</source>
        <translation>Der Zustand jedes Tokens: je eine Reihe von Zahlen</translation>
    </message>
    <message>
        <source>only the first token, {token}</source>
        <translation>nur das erste Token, {token}</translation>
    </message>
    <message>
        <source>every token’s state</source>
        <translation>der Zustand jedes Tokens</translation>
    </message>
    <message>
        <source>What comes out: {outcome}</source>
        <translation>Was herauskommt: {outcome}</translation>
    </message>
    <message>
        <source>What happens from text to result</source>
        <translation>Was vom Text bis zum Ergebnis geschieht</translation>
    </message>
    <message>
        <source>Arrow keys walk through the boxes.</source>
        <translation>Mit den Pfeiltasten durch die Kästen gehen.</translation>
    </message>
    <message>
        <source>Nothing to show yet.</source>
        <translation>Noch nichts zu zeigen.</translation>
    </message>
    <message>
        <source>where the answer starts and ends</source>
        <translation>wo die Antwort beginnt und endet</translation>
    </message>
    <message>
        <source>a score for each class</source>
        <translation>ein Score für jede Klasse</translation>
    </message>
    <message>
        <source>a score for each word that could stand there</source>
        <translation>ein Score für jedes Wort, das dort stehen könnte</translation>
    </message>
    <message>
        <source>whether the second text follows the first</source>
        <translation>ob der zweite Text an den ersten anschließt</translation>
    </message>
    <message>
        <source>a tag for each token</source>
        <translation>ein Tag für jedes Token</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>Tokens</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} weight</source>
        <comment>{n:,} weights</comment>
        <translation>
            <numerusform>{n:,} Gewicht</numerusform>
            <numerusform>{n:,} Gewichte</numerusform>
        </translation>
    </message>
    <message>
        <source>takes the pooled output</source>
        <translation>nimmt die gepoolte Ausgabe</translation>
    </message>
    <message>
        <source>takes every token&apos;s state</source>
        <translation>nimmt den Zustand jedes Tokens</translation>
    </message>
    <message>
        <source>takes the first token&apos;s state</source>
        <translation>nimmt den Zustand des ersten Tokens</translation>
    </message>
    <message>
        <source>{stage}, {number} of them one after another</source>
        <translation>{stage}, {number} davon hintereinander</translation>
    </message>
    <message>
        <source>takes {shapes}</source>
        <translation>Eingabe: {shapes}</translation>
    </message>
    <message>
        <source>gives {shape}</source>
        <translation>Ausgabe: {shape}</translation>
    </message>
    <message>
        <source>at training only: it changes nothing here</source>
        <translation>nur beim Training: ändert hier nichts</translation>
    </message>
    <message>
        <source>{shapes} and {shape}</source>
        <translation>{shapes} und {shape}</translation>
    </message>
    <message>
        <source>gives {outcome}</source>
        <translation>Ausgabe: {outcome}</translation>
    </message>
    <message>
        <source>standing</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>stage</source>
        <translation>Stufe</translation>
    </message>
    <message>
        <source>term</source>
        <translation>Term</translation>
    </message>
    <message>
        <source>path</source>
        <translation>Pfad</translation>
    </message>
    <message>
        <source>kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>detail</source>
        <translation>Detail</translation>
    </message>
    <message>
        <source>takes</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>gives</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>repeats</source>
        <translation>Wiederholungen</translation>
    </message>
    <message>
        <source>training only</source>
        <translation>nur Training</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>undefined</source>
        <translation>undefiniert</translation>
    </message>
    <message>
        <source>The loss and its terms</source>
        <translation>Der Verlust (Loss) und seine Terme</translation>
    </message>
    <message>
        <source>The loss</source>
        <translation>Verlust (Loss)</translation>
    </message>
    <message>
        <source>What transformers computes</source>
        <translation>Was transformers berechnet</translation>
    </message>
    <message>
        <source>What training adds up</source>
        <translation>Was das Training aufaddiert</translation>
    </message>
    <message>
        <source>total</source>
        <translation>gesamt</translation>
    </message>
    <message>
        <source>training</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>probability</source>
        <translation>Wahrscheinlichkeit</translation>
    </message>
    <message>
        <source>right</source>
        <translation>richtig</translation>
    </message>
    <message>
        <source>loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>counted</source>
        <translation>gezählt</translation>
    </message>
    <message>
        <source>{term}: {target}, ignored</source>
        <translation>{term}: {target}, ignoriert</translation>
    </message>
    <message>
        <source>{term}: right is {target}, the model gives {value}, costs {loss}</source>
        <translation>{term}: richtig ist {target}, das Modell gibt {value} aus, kostet {loss}</translation>
    </message>
    <message>
        <source>{term}: right is {target}, held for {percent} likely, costs {loss}</source>
        <translation>{term}: richtig ist {target}, dafür gibt das Modell {percent}, kostet {loss}</translation>
    </message>
    <message>
        <source>Term</source>
        <translation>Term</translation>
    </message>
    <message>
        <source>What is right</source>
        <translation>Was richtig ist</translation>
    </message>
    <message>
        <source>Its probability</source>
        <translation>Wahrscheinlichkeit</translation>
    </message>
    <message>
        <source>Loss: −log p</source>
        <translation>Verlust: −log p</translation>
    </message>
    <message>
        <source>What the model gives</source>
        <translation>Was das Modell ausgibt</translation>
    </message>
    <message>
        <source>Loss: squared</source>
        <translation>Verlust: quadriert</translation>
    </message>
    <message>
        <source>ignored</source>
        <translation>ignoriert</translation>
    </message>
    <message>
        <source>Point at a cell, or walk with the arrow keys.</source>
        <translation>Zeigen Sie auf eine Zelle oder benutzen Sie die Pfeiltasten.</translation>
    </message>
    <message>
        <source>Change of the score</source>
        <translation>Änderung des Scores</translation>
    </message>
    <message>
        <source>Score without each sentence</source>
        <translation>Score ohne den jeweiligen Satz</translation>
    </message>
    <message>
        <source>Without sentence {number} of {count}, which holds the answer: score {before} becomes {score} ({change}). {text}</source>
        <translation>Ohne Satz {number} von {count}, der die Antwort enthält: Score {before} wird zu {score} ({change}). {text}</translation>
    </message>
    <message>
        <source>Without sentence {number} of {count}, which holds the answer: score {before} becomes {score} ({change}), {likely} becomes {percent}. {text}</source>
        <translation>Ohne Satz {number} von {count}, der die Antwort enthält: Score {before} wird zu {score} ({change}), {likely} wird zu {percent}. {text}</translation>
    </message>
    <message>
        <source>Without sentence {number} of {count}: score {before} becomes {score} ({change}). {text}</source>
        <translation>Ohne Satz {number} von {count}: Score {before} wird zu {score} ({change}). {text}</translation>
    </message>
    <message>
        <source>Without sentence {number} of {count}: score {before} becomes {score} ({change}), {likely} becomes {percent}. {text}</source>
        <translation>Ohne Satz {number} von {count}: Score {before} wird zu {score} ({change}), {likely} wird zu {percent}. {text}</translation>
    </message>
    <message>
        <source>sentence</source>
        <translation>Satz</translation>
    </message>
    <message>
        <source>start</source>
        <translation>Anfang</translation>
    </message>
    <message>
        <source>end</source>
        <translation>Ende</translation>
    </message>
    <message>
        <source>score</source>
        <translation>Score</translation>
    </message>
    <message>
        <source>score without</source>
        <translation>Score ohne</translation>
    </message>
    <message>
        <source>change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>probability without</source>
        <translation>Wahrscheinlichkeit ohne</translation>
    </message>
    <message>
        <source>holds the answer</source>
        <translation>enthält die Antwort</translation>
    </message>
    <message>
        <source>Without this sentence</source>
        <translation>Ohne diesen Satz</translation>
    </message>
    <message>
        <source>falls</source>
        <translation>fällt</translation>
    </message>
    <message>
        <source>rises</source>
        <translation>steigt</translation>
    </message>
    <message>
        <source>Spans by start and end</source>
        <translation>Spannen nach Anfang und Ende</translation>
    </message>
    <message>
        <source>Start + end logits</source>
        <translation>Start- + End-Logits</translation>
    </message>
    <message>
        <source>No span that may be an answer begins here</source>
        <translation>Hier beginnt keine Spanne, die eine Antwort sein kann</translation>
    </message>
    <message>
        <source>Tokens {first} to {last}</source>
        <translation>Tokens {first} bis {last}</translation>
    </message>
    <message>
        <source>Score {sum}</source>
        <translation>Score {sum}</translation>
    </message>
    <message>
        <source>Probability {percent}</source>
        <translation>Wahrscheinlichkeit {percent}</translation>
    </message>
    <message>
        <source>first token</source>
        <translation>erstes Token</translation>
    </message>
    <message>
        <source>last token</source>
        <translation>letztes Token</translation>
    </message>
    <message>
        <source>words</source>
        <translation>Wörter</translation>
    </message>
    <message>
        <source>start logit</source>
        <translation>Start-Logit</translation>
    </message>
    <message>
        <source>end logit</source>
        <translation>End-Logit</translation>
    </message>
    <message>
        <source>Point at a token, or walk with the arrow keys.</source>
        <translation>Zeigen Sie auf ein Token oder benutzen Sie die Pfeiltasten.</translation>
    </message>
    <message>
        <source>Start and end scores</source>
        <translation>Scores für Anfang und Ende</translation>
    </message>
    <message>
        <source>{token}: start {start} ({start_percent}), end {end} ({end_percent})</source>
        <translation>{token}: Anfang {start} ({start_percent}), Ende {end} ({end_percent})</translation>
    </message>
    <message>
        <source>id</source>
        <translation>ID</translation>
    </message>
    <message>
        <source>part</source>
        <translation>Teil</translation>
    </message>
    <message>
        <source>start probability</source>
        <translation>Start-Wahrscheinlichkeit</translation>
    </message>
    <message>
        <source>end probability</source>
        <translation>End-Wahrscheinlichkeit</translation>
    </message>
    <message>
        <source>candidate</source>
        <translation>Kandidat</translation>
    </message>
    <message>
        <source>{number:.0f}%</source>
        <translation>{number:.0f}&#xa0;%</translation>
    </message>
    <message>
        <source>second passage</source>
        <translation>zweite Passage</translation>
    </message>
    <message>
        <source>question</source>
        <translation>Frage</translation>
    </message>
    <message>
        <source>special token</source>
        <translation>Spezialtoken</translation>
    </message>
    <message>
        <source>Token {number} of {count}, “{label}”</source>
        <translation>Token {number} von {count}, „{label}“</translation>
    </message>
    <message>
        <source>Token {number} of {count}, “{label}”, {kind}</source>
        <translation>Token {number} von {count}, „{label}“, {kind}</translation>
    </message>
    <message>
        <source>Dimension {number} of {count}: {values}</source>
        <translation>Dimension {number} von {count}: {values}</translation>
    </message>
    <message>
        <source>dimension</source>
        <translation>Dimension</translation>
    </message>
    <message>
        <source>Dimensions
{first} to {last}</source>
        <translation>Dimensionen
{first} bis {last}</translation>
    </message>
    <message>
        <source>It follows.</source>
        <translation>Schließt an.</translation>
    </message>
    <message>
        <source>It does not follow.</source>
        <translation>Schließt nicht an.</translation>
    </message>
    <message>
        <source>It follows</source>
        <translation>Schließt an</translation>
    </message>
    <message>
        <source>It does not follow</source>
        <translation>Schließt nicht an</translation>
    </message>
    <message>
        <source>{name} · {type}</source>
        <translation>{name} · {type}</translation>
    </message>
    <message>
        <source>{value:.3g}</source>
        <translation>{value:.3g}</translation>
    </message>
    <message>
        <source>{answer} (low confidence)</source>
        <translation>{answer} (geringe Sicherheit)</translation>
    </message>
    <message>
        <source>The text does not say</source>
        <translation>Der Text sagt es nicht</translation>
    </message>
    <message>
        <source>No class stands out</source>
        <translation>Keine Klasse sticht heraus</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>same input, same head</source>
        <translation>gleiche Eingabe, gleicher Kopf</translation>
    </message>
    <message>
        <source>Two models with the same head read the very same text, each with the tokens, the window and the calibration of its own. Probabilities can be compared; scores in logits cannot, since every model has its own scale.</source>
        <translation>Zwei Modelle mit dem gleichen Kopf lesen genau denselben Text, jedes mit seinen eigenen Tokens, seinem Fenster und seiner Kalibrierung. Wahrscheinlichkeiten lassen sich vergleichen, Scores in Logits nicht, denn jedes Modell hat seine eigene Skala.</translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation>Vergleichen mit</translation>
    </message>
    <message>
        <source>The second model</source>
        <translation>Das zweite Modell</translation>
    </message>
    <message>
        <source>{model} is the only model here that does this. Put a second model folder beside it (Settings shows where), or train one of your own on your own examples; it stands here as soon as it is installed.</source>
        <translation>{model} ist das einzige Modell hier, das dies kann. Legen Sie einen zweiten Modellordner daneben (die Einstellungen zeigen, wo) oder trainieren Sie ein eigenes mit eigenen Beispielen; es steht hier, sobald es installiert ist.</translation>
    </message>
    <message>
        <source>Reading with both models</source>
        <translation>Beide Modelle lesen</translation>
    </message>
    <message>
        <source>Both come to the same.</source>
        <translation>Beide kommen zum selben Ergebnis.</translation>
    </message>
    <message>
        <source>They do not come to the same.</source>
        <translation>Sie kommen nicht zum selben Ergebnis.</translation>
    </message>
    <message>
        <source>{model} is {times:.1f} times as fast.</source>
        <translation>{model} ist {times:.1f}-mal so schnell.</translation>
    </message>
    <message>
        <source>Still reading…</source>
        <translation>Liest noch…</translation>
    </message>
    <message>
        <source>in {time}</source>
        <translation>in {time}</translation>
    </message>
    <message>
        <source>Results of {model}</source>
        <translation>Ergebnisse von {model}</translation>
    </message>
    <message>
        <source>Two models compared</source>
        <translation>Zwei Modelle im Vergleich</translation>
    </message>
    <message>
        <source>model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>Sekunden</translation>
    </message>
    <message>
        <source>A place outside the window is first moved back to the window’s length, one past its last token, and that place is then ignored.</source>
        <translation>Eine Position außerhalb des Fensters wird zuerst auf die Länge des Fensters zurückgesetzt, also auf die Position direkt hinter dessen letztem Token, und dort dann ignoriert.</translation>
    </message>
    <message>
        <source>Nothing is left to take a mean of: the sum is 0 and so is the count, and 0 divided by 0 is not a number. That is what transformers returns. Spanlight’s training adds nothing for such an example, so that one window without its answer cannot spoil all weights.</source>
        <translation>Es bleibt nichts, wovon sich ein Mittelwert bilden ließe: Die Summe ist 0, die Anzahl ebenfalls, und 0 geteilt durch 0 ist keine Zahl. Das gibt transformers zurück. Das Training von Spanlight addiert für ein solches Beispiel nichts, damit nicht ein einziges Fenster ohne seine Antwort alle Gewichte verdirbt.</translation>
    </message>
    <message>
        <source>One of the two means has nothing left to be taken of: 0 divided by 0 is not a number, and neither is its sum with the other. That is what transformers returns. Spanlight’s training adds only the half that is defined.</source>
        <translation>Für einen der beiden Mittelwerte bleibt nichts, wovon er sich bilden ließe: 0 geteilt durch 0 ist keine Zahl, und die Summe mit dem anderen ebenso wenig. Das gibt transformers zurück. Das Training von Spanlight addiert nur die Hälfte, die definiert ist.</translation>
    </message>
    <message>
        <source>This model has one label, and its config does not name the kind of problem. Spanlight takes the label for yes or no: binary cross-entropy. transformers takes it for a value: squared error. So the two differ here.</source>
        <translation>Dieses Modell hat ein einziges Label, und seine Konfiguration nennt die Art der Aufgabe nicht. Spanlight versteht das Label als Ja oder Nein: binäre Kreuzentropie. transformers versteht es als Wert: quadratischer Fehler. Daher unterscheiden sich die beiden hier.</translation>
    </message>
    <message>
        <source>None of them</source>
        <translation>Keines davon</translation>
    </message>
    <message>
        <source>No names</source>
        <translation>Keine Namen</translation>
    </message>
    <message>
        <source>An answer beyond what is read</source>
        <translation>Eine Antwort außerhalb des Gelesenen</translation>
    </message>
    <message>
        <source>Text with what is right</source>
        <translation>Text mit dem, was richtig ist</translation>
    </message>
    <message>
        <source>cross-entropy</source>
        <translation>Kreuzentropie</translation>
    </message>
    <message>
        <source>The loss says how far the model is from what is right. Training makes it smaller, and nothing else: each term takes the probability that the model gives to what is right, and its logarithm with the sign turned is the cost.</source>
        <translation>Der Verlust sagt, wie weit das Modell von dem entfernt ist, was richtig ist. Das Training verkleinert ihn, sonst nichts: Jeder Term nimmt die Wahrscheinlichkeit, die das Modell dem Richtigen gibt, und ihr Logarithmus mit umgekehrtem Vorzeichen ergibt die Kosten.</translation>
    </message>
    <message>
        <source>The loss says how far the model is from what is right. Training makes it smaller, and nothing else. This model gives a value: the difference between it and the right one, squared, is the cost.</source>
        <translation>Der Verlust sagt, wie weit das Modell von dem entfernt ist, was richtig ist. Das Training verkleinert ihn, sonst nichts. Dieses Modell gibt einen Wert aus: Seine quadrierte Differenz zum richtigen Wert ergibt die Kosten.</translation>
    </message>
    <message>
        <source>Nothing is known to be right</source>
        <translation>Es ist nicht bekannt, was richtig ist</translation>
    </message>
    <message>
        <source>The right value</source>
        <translation>Der richtige Wert</translation>
    </message>
    <message>
        <source>Select other words of the text to see their loss.</source>
        <translation>Wählen Sie andere Wörter des Textes aus, um ihren Verlust zu sehen.</translation>
    </message>
    <message>
        <source>Looking for the model’s own result</source>
        <translation>Das eigene Ergebnis des Modells wird gesucht</translation>
    </message>
    <message>
        <source>Computing the loss</source>
        <translation>Verlust wird berechnet</translation>
    </message>
    <message>
        <source>The smaller, the better: 0 would mean that the model’s value is the right one; {loss:.3g} is the cost here.</source>
        <translation>Je kleiner, desto besser: 0 hieße, dass der Wert des Modells der richtige ist; hier betragen die Kosten {loss:.3g}.</translation>
    </message>
    <message>
        <source>The smaller, the better: 0 would mean that the model was certain of what is right; {loss:.3g} is the cost here.</source>
        <translation>Je kleiner, desto besser: 0 hieße, dass sich das Modell beim Richtigen ganz sicher war; hier betragen die Kosten {loss:.3g}.</translation>
    </message>
    <message>
        <source>One result for the text</source>
        <translation>Ein Ergebnis für den Text</translation>
    </message>
    <message>
        <source>One for each token</source>
        <translation>Eines für jedes Token</translation>
    </message>
    <message>
        <source>A start and an end</source>
        <translation>Anfang und Ende</translation>
    </message>
    <message>
        <source>It judges the text as a whole, so it goes on from the first token alone, through a pooler of its own.</source>
        <translation>Er beurteilt den Text als Ganzes und geht daher allein vom ersten Token aus, durch einen eigenen Pooler.</translation>
    </message>
    <message>
        <source>It says something of each token, so the same few weights are put to every token’s state.</source>
        <translation>Er sagt etwas zu jedem Token; daher werden dieselben wenigen Gewichte auf den Zustand jedes Tokens angewandt.</translation>
    </message>
    <message>
        <source>It marks a stretch of the text, so every token gets two scores: one as the first, one as the last.</source>
        <translation>Er markiert einen Abschnitt des Textes; daher erhält jedes Token zwei Scores: einen als erstes, einen als letztes.</translation>
    </message>
    <message>
        <source>Teaching makes the loss smaller, cross-entropy between the scores and the right class; the weights below are taught along.</source>
        <translation>Das Training verkleinert den Verlust, die Kreuzentropie zwischen den Scores und der richtigen Klasse; die Gewichte darunter werden mittrainiert.</translation>
    </message>
    <message>
        <source>Teaching makes the loss smaller, cross-entropy between each token’s scores and its right tag; the weights below are taught along.</source>
        <translation>Das Training verkleinert den Verlust, die Kreuzentropie zwischen den Scores jedes Tokens und seinem richtigen Tag; die Gewichte darunter werden mittrainiert.</translation>
    </message>
    <message>
        <source>Teaching makes the loss smaller, the mean of two cross-entropies over the tokens: one for the start, one for the end; the weights below are taught along.</source>
        <translation>Das Training verkleinert den Verlust, das Mittel zweier Kreuzentropien über die Tokens: eine für den Anfang, eine für das Ende; die Gewichte darunter werden mittrainiert.</translation>
    </message>
    <message>
        <source>It has {number:,} weights of its own, on top of {below:,} that {model} has below its heads.</source>
        <translation>Er hat {number:,} eigene Gewichte, zusätzlich zu den {below:,}, die {model} unter seinen Köpfen hat.</translation>
    </message>
    <message>
        <source>It has {number:,} weights of its own for {classes} classes, on top of {below:,} that {model} has below its heads.</source>
        <translation>Er hat {number:,} eigene Gewichte für {classes} Klassen, zusätzlich zu den {below:,}, die {model} unter seinen Köpfen hat.</translation>
    </message>
    <message>
        <source>Spanlight teaches such a head in the terminal: {command}.</source>
        <translation>Spanlight trainiert einen solchen Kopf im Terminal: {command}.</translation>
    </message>
    <message>
        <source>A head of your own</source>
        <translation>Ein eigener Kopf</translation>
    </message>
    <message>
        <source>a torch module on top of the base model</source>
        <translation>ein torch-Modul auf dem Basismodell</translation>
    </message>
    <message>
        <source>A head is small: nearly all that is known of language is in the layers below, which are built alike for every head. A head of your own has to settle only which states it takes and how many numbers it gives.</source>
        <translation>Ein Kopf ist klein: Fast alles Wissen über Sprache steckt in den Schichten darunter, die für jeden Kopf gleich gebaut sind. Ein eigener Kopf muss nur festlegen, welche Zustände er nimmt und wie viele Zahlen er ausgibt.</translation>
    </message>
    <message>
        <source>What it gives</source>
        <translation>Was er ausgibt</translation>
    </message>
    <message>
        <source>Code of the head</source>
        <translation>Code des Kopfes</translation>
    </message>
    <message>
        <source>Copy the code</source>
        <translation>Code kopieren</translation>
    </message>
    <message>
        <source>The code is copied</source>
        <translation>Der Code ist kopiert</translation>
    </message>
    <message>
        <source>An answer may start or end at any token of the text, so each is judged by a state of its own. A class is one result for the whole text, so one state must stand for all of it. That is the first token, {token}: it means nothing by itself, and in every layer it looks at all others, so it can gather what the class depends on.</source>
        <translation>Eine Antwort kann bei jedem Token des Textes beginnen oder enden, daher wird jedes nach seinem eigenen Zustand beurteilt. Eine Klasse ist ein einziges Ergebnis für den ganzen Text, daher muss ein Zustand für alles stehen. Das ist das erste Token, {token}: Es bedeutet selbst nichts und blickt in jeder Schicht auf alle anderen; so kann es sammeln, wovon die Klasse abhängt.</translation>
    </message>
    <message>
        <source>Why does question answering take every token’s state, and classification only the pooled {token}?</source>
        <translation>Warum nimmt das Beantworten von Fragen den Zustand jedes Tokens und die Klassifikation nur das gepoolte {token}?</translation>
    </message>
    <message>
        <source>The sequence output’s first vector is {token} as the last layer leaves it. The pooled output is that vector put through one more layer: {size:,} weighted sums of its numbers, each squeezed between −1 and 1 by tanh. Other numbers come out, made to judge the text as a whole: BERT’s pooler learned that by telling whether one passage follows another, ALBERT’s by telling which of two came first, and a classifier goes on teaching it. For a text to classify, “Pooled output and [CLS]” proves it in numbers.</source>
        <translation>Der erste Vektor der Sequenzausgabe ist {token}, wie die letzte Schicht es hinterlässt. Die gepoolte Ausgabe ist dieser Vektor nach einer weiteren Schicht: {size:,} gewichtete Summen seiner Zahlen, jede durch tanh auf −1 bis 1 gestaucht. Heraus kommen andere Zahlen, die den Text als Ganzes beurteilen sollen: BERTs Pooler lernte das, indem er sagte, ob eine Passage auf eine andere folgt, der von ALBERT, indem er sagte, welche von zweien zuerst kam, und ein Klassifikator trainiert ihn weiter. Für einen Text zum Klassifizieren belegt „Gepoolte Ausgabe und [CLS]“ das in Zahlen.</translation>
    </message>
    <message>
        <source>Why does question answering take every token’s state, and classification only {token}?</source>
        <translation>Warum nimmt das Beantworten von Fragen den Zustand jedes Tokens und die Klassifikation nur {token}?</translation>
    </message>
    <message>
        <source>In BERT the pooled output is the first token’s vector put through one more layer, dense and tanh, so its numbers are others. {family} has no such layer ahead of its heads here: the head for classes takes the first token’s vector itself and has a dense layer of its own, as the picture shows.</source>
        <translation>In BERT ist die gepoolte Ausgabe der Vektor des ersten Tokens nach einer weiteren Schicht, dense und tanh; daher sind ihre Zahlen andere. {family} hat hier keine solche Schicht vor den Köpfen: Der Kopf für Klassen nimmt den Vektor des ersten Tokens selbst und hat eine eigene dense-Schicht, wie das Bild zeigt.</translation>
    </message>
    <message>
        <source>Why is the pooled output not the first vector of the sequence output?</source>
        <translation>Warum ist die gepoolte Ausgabe nicht der erste Vektor der Sequenzausgabe?</translation>
    </message>
    <message>
        <source>Any token may be where the answer starts or ends, so this head takes every token’s state; a head that judges the text as a whole takes only the first token, {token}.</source>
        <translation>Die Antwort kann bei jedem Token beginnen oder enden, daher nimmt dieser Kopf den Zustand jedes Tokens; ein Kopf, der den Text als Ganzes beurteilt, nimmt nur das erste Token, {token}.</translation>
    </message>
    <message>
        <source>This head judges the text as a whole, so it takes only the first token, {token}, which has looked at all others; a head that says something of each word takes every token’s state.</source>
        <translation>Dieser Kopf beurteilt den Text als Ganzes, daher nimmt er nur das erste Token, {token}, das auf alle anderen geblickt hat; ein Kopf, der etwas zu jedem Wort sagt, nimmt den Zustand jedes Tokens.</translation>
    </message>
    <message>
        <source>This head takes every token’s state, because each token gets a result of its own; a head that judges the text as a whole takes only the first token, {token}.</source>
        <translation>Dieser Kopf nimmt den Zustand jedes Tokens, weil jedes Token ein eigenes Ergebnis erhält; ein Kopf, der den Text als Ganzes beurteilt, nimmt nur das erste Token, {token}.</translation>
    </message>
    <message>
        <source>Why it is so</source>
        <translation>Warum es so ist</translation>
    </message>
    <message>
        <source>sequence output and pooled output</source>
        <translation>Sequenzausgabe und gepoolte Ausgabe</translation>
    </message>
    <message>
        <source>What is often asked of BERT’s heads, answered for the model above.</source>
        <translation>Was zu BERTs Köpfen oft gefragt wird, beantwortet für das Modell oben.</translation>
    </message>
    <message>
        <source>What happens here</source>
        <translation>Was hier geschieht</translation>
    </message>
    <message>
        <source>encoder and heads, with the shapes that flow</source>
        <translation>Encoder und Köpfe, mit den Formen, die hindurchfließen</translation>
    </message>
    <message>
        <source>The text is cut into tokens, each token becomes a row of numbers, and layer by layer every token takes up something of the others.</source>
        <translation>Der Text wird in Tokens zerlegt, jedes Token wird zu einer Reihe von Zahlen, und Schicht für Schicht nimmt jedes Token etwas von den anderen auf.</translation>
    </message>
    <message>
        <source>Show every module</source>
        <translation>Alle Module anzeigen</translation>
    </message>
    <message>
        <source>Copy the tree as text</source>
        <translation>Baum als Text kopieren</translation>
    </message>
    <message>
        <source>What print(model) gives</source>
        <translation>Was print(model) ausgibt</translation>
    </message>
    <message>
        <source>Opening the model</source>
        <translation>Modell wird geöffnet</translation>
    </message>
    <message numerus="yes">
        <source>{model} · {family} · {n:,} weight · read off the model while it ran on {device}. Grey columns are heads that this family can have too.</source>
        <comment>{model} · {family} · {n:,} weights · read off the model while it ran on {device}. Grey columns are heads that this family can have too.</comment>
        <translation>
            <numerusform>{model} · {family} · {n:,} Gewicht · beim Lauf des Modells abgelesen ({device}). Graue Spalten sind Köpfe, die diese Familie ebenfalls haben kann.</numerusform>
            <numerusform>{model} · {family} · {n:,} Gewichte · beim Lauf des Modells abgelesen ({device}). Graue Spalten sind Köpfe, die diese Familie ebenfalls haben kann.</numerusform>
        </translation>
    </message>
    <message>
        <source>Hide the modules</source>
        <translation>Module ausblenden</translation>
    </message>
    <message>
        <source>The modules are copied as text</source>
        <translation>Die Module sind als Text kopiert</translation>
    </message>
    <message>
        <source>Every module</source>
        <translation>Alle Module</translation>
    </message>
    <message>
        <source>Module</source>
        <translation>Modul</translation>
    </message>
    <message>
        <source>What it says of itself</source>
        <translation>Eigene Angaben</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Question answering takes every token’s state, so it leaves the pooled output aside.</source>
        <translation>Das Beantworten von Fragen nimmt den Zustand jedes Tokens und lässt daher die gepoolte Ausgabe beiseite.</translation>
    </message>
    <message>
        <source>Filling in takes the hidden tokens’ states, so it leaves the pooled output aside.</source>
        <translation>Das Füllen von Lücken nimmt die Zustände der verdeckten Tokens und lässt daher die gepoolte Ausgabe beiseite.</translation>
    </message>
    <message>
        <source>Finding names takes every token’s state, so it leaves the pooled output aside.</source>
        <translation>Das Finden von Namen nimmt den Zustand jedes Tokens und lässt daher die gepoolte Ausgabe beiseite.</translation>
    </message>
    <message>
        <source>Pooled output</source>
        <translation>Gepoolte Ausgabe</translation>
    </message>
    <message>
        <source>Head’s own layer</source>
        <translation>Eigene Schicht des Kopfes</translation>
    </message>
    <message>
        <source>First token, {token}</source>
        <translation>Erstes Token, {token}</translation>
    </message>
    <message>
        <source>{formula} by hand is the same, to the last bits of the numbers: over all {count:,} dimensions the largest difference is {difference}.</source>
        <translation>{formula} von Hand stimmt überein, bis auf die letzten Bits der Zahlen: Über alle {count:,} Dimensionen ist die größte Abweichung {difference}.</translation>
    </message>
    <message>
        <source>{formula} by hand is the same, within what such numbers can hold: over all {count:,} dimensions the largest difference is {difference}.</source>
        <translation>{formula} von Hand stimmt überein, im Rahmen dessen, was solche Zahlen fassen können: Über alle {count:,} Dimensionen ist die größte Abweichung {difference}.</translation>
    </message>
    <message>
        <source>{formula} by hand is not the same: over all {count:,} dimensions the largest difference is {difference}.</source>
        <translation>{formula} von Hand stimmt nicht überein: Über alle {count:,} Dimensionen ist die größte Abweichung {difference}.</translation>
    </message>
    <message>
        <source>The proof on this text</source>
        <translation>Der Beweis an diesem Text</translation>
    </message>
    <message>
        <source>W and b are the layer’s weights, h is the first token’s vector</source>
        <translation>W und b sind die Gewichte der Schicht, h ist der Vektor des ersten Tokens</translation>
    </message>
    <message>
        <source>Both are held against what the model gave. All dimensions are below, under Numbers.</source>
        <translation>Beides wird mit der Ausgabe des Modells verglichen. Alle Dimensionen stehen unten, unter „Zahlen“.</translation>
    </message>
    <message>
        <source>{formula}, by hand</source>
        <translation>{formula}, von Hand</translation>
    </message>
    <message>
        <source>Dimension</source>
        <translation>Dimension</translation>
    </message>
    <message>
        <source>The first token’s vector is not the same: it differs by up to {difference}, and the cosine of the two is {cosine} (1 would be the same direction).</source>
        <translation>Der Vektor des ersten Tokens ist nicht derselbe: Er weicht um bis zu {difference} ab, und der Kosinus der beiden ist {cosine} (1 wäre dieselbe Richtung).</translation>
    </message>
    <message>
        <source>{value:.7f}</source>
        <translation>{value:.7f}</translation>
    </message>
    <message>
        <source>Pooled output and [CLS]</source>
        <translation>Gepoolte Ausgabe und [CLS]</translation>
    </message>
    <message>
        <source>pooler: first token, dense, tanh</source>
        <translation>Pooler: erstes Token, dense, tanh</translation>
    </message>
    <message>
        <source>The pooled output is not the first token’s vector from the last layer: it is that vector put through one more layer, the pooler. BERT’s pooler was taught to tell whether one passage follows another (next sentence prediction), and its heads for a whole text take what it gives; heads that judge each token take the states themselves.</source>
        <translation>Die gepoolte Ausgabe ist nicht der Vektor des ersten Tokens aus der letzten Schicht: Sie ist dieser Vektor nach einer weiteren Schicht, dem Pooler. BERTs Pooler wurde darauf trainiert, zu erkennen, ob eine Passage auf eine andere folgt (Vorhersage des nächsten Satzes), und BERTs Köpfe für einen ganzen Text nehmen, was er ausgibt; Köpfe, die jedes Token beurteilen, nehmen die Zustände selbst.</translation>
    </message>
    <message>
        <source>Look at this text as one to classify</source>
        <translation>Als Text zum Klassifizieren ansehen</translation>
    </message>
    <message>
        <source>A head for classes takes the first token alone</source>
        <translation>Ein Kopf für Klassen nimmt allein das erste Token</translation>
    </message>
    <message>
        <source>First token and pooled output</source>
        <translation>Erstes Token und gepoolte Ausgabe</translation>
    </message>
    <message>
        <source>Number by number</source>
        <translation>Zahl für Zahl</translation>
    </message>
    <message>
        <source>hidden state h[CLS] and pooled output</source>
        <translation>verborgener Zustand h[CLS] und gepoolte Ausgabe</translation>
    </message>
    <message>
        <source>Each vector is a strip, a cell for each of its numbers: blue below zero, amber above. The same dimension stands in the same column, and the cells around the current one are shown large.</source>
        <translation>Jeder Vektor ist ein Streifen mit einer Zelle für jede seiner Zahlen: blau unter null, bernsteinfarben darüber. Dieselbe Dimension steht in derselben Spalte, und die Zellen um die aktuelle werden groß gezeigt.</translation>
    </message>
    <message>
        <source>Computing the pooled output by hand</source>
        <translation>Gepoolte Ausgabe wird von Hand berechnet</translation>
    </message>
    <message>
        <source>Computed by hand</source>
        <translation>Von Hand berechnet</translation>
    </message>
    <message>
        <source>The head in use leaves the pooled output aside.</source>
        <translation>Der verwendete Kopf lässt die gepoolte Ausgabe beiseite.</translation>
    </message>
    <message>
        <source>In this model no layer takes the first token alone: it has no pooler, and its head works from every token’s state. So there is no pooled output here; the first token’s vector is one state among the others. A model that tells classes has one.</source>
        <translation>In diesem Modell nimmt keine Schicht allein das erste Token: Es hat keinen Pooler, und sein Kopf arbeitet mit dem Zustand jedes Tokens. Daher gibt es hier keine gepoolte Ausgabe; der Vektor des ersten Tokens ist ein Zustand unter anderen. Ein Modell, das Klassen unterscheidet, hat eine.</translation>
    </message>
    <message>
        <source>{formula}, computed here by hand from the first token’s vector h with the weights of {layer}, equals the pooled output. The first vector itself does not.</source>
        <translation>{formula}, hier von Hand berechnet aus dem Vektor h des ersten Tokens mit den Gewichten von {layer}, stimmt mit der gepoolten Ausgabe überein. Der erste Vektor selbst tut es nicht.</translation>
    </message>
    <message>
        <source>{formula}, computed here by hand from the first token’s vector h with the weights of {layer}, should equal the pooled output. The first vector itself does not.</source>
        <translation>{formula}, hier von Hand berechnet aus dem Vektor h des ersten Tokens mit den Gewichten von {layer}, sollte mit der gepoolten Ausgabe übereinstimmen. Der erste Vektor selbst tut es nicht.</translation>
    </message>
    <message>
        <source>This model has no pooler. Its head has a layer of its own for the first token, {layer}. {formula}, computed here by hand from the first token’s vector h with the weights of {layer}, equals what that layer gives. The first vector itself does not.</source>
        <translation>Dieses Modell hat keinen Pooler. Sein Kopf hat eine eigene Schicht für das erste Token, {layer}. {formula}, hier von Hand berechnet aus dem Vektor h des ersten Tokens mit den Gewichten von {layer}, stimmt mit der Ausgabe dieser Schicht überein. Der erste Vektor selbst tut es nicht.</translation>
    </message>
    <message>
        <source>This model has no pooler. Its head has a layer of its own for the first token, {layer}. {formula}, computed here by hand from the first token’s vector h with the weights of {layer}, should equal what that layer gives. The first vector itself does not.</source>
        <translation>Dieses Modell hat keinen Pooler. Sein Kopf hat eine eigene Schicht für das erste Token, {layer}. {formula}, hier von Hand berechnet aus dem Vektor h des ersten Tokens mit den Gewichten von {layer}, sollte mit der Ausgabe dieser Schicht übereinstimmen. Der erste Vektor selbst tut es nicht.</translation>
    </message>
    <message>
        <source>the work on Look inside</source>
        <translation>die Arbeit auf der Seite „Hineinsehen“</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>Gestoppt.</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>Erneut ansehen</translation>
    </message>
    <message>
        <source>Sections</source>
        <translation>Abschnitte</translation>
    </message>
    <message>
        <source>Start and end</source>
        <translation>Anfang und Ende</translation>
    </message>
    <message>
        <source>start and end logits, BERT, Devlin et al. 2019, section 4.2</source>
        <translation>Start- und End-Logits, BERT, Devlin et al. 2019, Abschnitt 4.2</translation>
    </message>
    <message>
        <source>For every token the head gives two numbers: how well an answer would begin there, and how well it would end there. A span’s score is the sum of its first token’s start and its last token’s end; the span with the largest sum is the answer. (In a long text it also counts how many of the question’s words stand near.) The same sum at the special token at the front, the null score, stands for “the text does not say”.</source>
        <translation>Für jedes Token gibt der Kopf zwei Zahlen aus: wie gut eine Antwort dort beginnen und wie gut sie dort enden würde. Der Score einer Spanne ist die Summe aus dem Anfang ihres ersten und dem Ende ihres letzten Tokens; die Spanne mit der größten Summe ist die Antwort. (In einem langen Text zählt auch, wie viele Wörter der Frage in der Nähe stehen.) Dieselbe Summe am Spezialtoken ganz vorn, der Null-Score, steht für „Der Text sagt es nicht“.</translation>
    </message>
    <message>
        <source>The text that was read</source>
        <translation>Der gelesene Text</translation>
    </message>
    <message>
        <source>The best spans</source>
        <translation>Die besten Spannen</translation>
    </message>
    <message>
        <source>Shown as</source>
        <translation>Anzeigen als</translation>
    </message>
    <message>
        <source>Scores (logits)</source>
        <translation>Scores (Logits)</translation>
    </message>
    <message>
        <source>Each token as first and last</source>
        <translation>Jedes Token als erstes und letztes</translation>
    </message>
    <message>
        <source>Bars point away from the words: upwards for a beginning, downwards for an end. Pale tokens cannot be part of an answer or score below zero; the dashed line is the special token at the front.</source>
        <translation>Balken weisen von den Wörtern weg: nach oben für einen Anfang, nach unten für ein Ende. Blasse Tokens können nicht Teil einer Antwort sein oder haben einen Score unter null; die gestrichelte Linie ist das Spezialtoken ganz vorn.</translation>
    </message>
    <message>
        <source>n-best</source>
        <translation>n-best</translation>
    </message>
    <message>
        <source>The chosen one first, then the runners-up that do not overlap a better one. The probability is a span’s share among all spans of this window and the null score.</source>
        <translation>Zuerst die gewählte, dann die nächstbesten, die sich mit keiner besseren überschneiden. Die Wahrscheinlichkeit ist der Anteil einer Spanne an allen Spannen dieses Fensters und dem Null-Score.</translation>
    </message>
    <message>
        <source>Every span</source>
        <translation>Alle Spannen</translation>
    </message>
    <message>
        <source>start × end</source>
        <translation>Anfang × Ende</translation>
    </message>
    <message>
        <source>One cell for each span: its first token to the left, its last token above. Spans of more than 48 tokens are left out.</source>
        <translation>Eine Zelle für jede Spanne: links ihr erstes Token, oben ihr letztes. Spannen von mehr als 48 Tokens sind ausgelassen.</translation>
    </message>
    <message>
        <source>Reading the start and end scores</source>
        <translation>Scores für Anfang und Ende werden gelesen</translation>
    </message>
    <message>
        <source>{token}: the text does not say</source>
        <translation>{token}: Der Text sagt es nicht</translation>
    </message>
    <message>
        <source>rank</source>
        <translation>Rang</translation>
    </message>
    <message>
        <source>No span in window {number} of {count} can be an answer.</source>
        <translation>Keine Spanne in Fenster {number} von {count} kann eine Antwort sein.</translation>
    </message>
    <message>
        <source>No span can be an answer.</source>
        <translation>Keine Spanne kann eine Antwort sein.</translation>
    </message>
    <message>
        <source>The null score, at {token}, is {null}.</source>
        <translation>Der Null-Score, bei {token}, ist {null}.</translation>
    </message>
    <message>
        <source>The best span in window {number} of {count} is “{words}”: start and end are {sum}, {percent} among all spans of this window.</source>
        <translation>Die beste Spanne in Fenster {number} von {count} ist „{words}“: Anfang und Ende ergeben {sum}, {percent} unter allen Spannen dieses Fensters.</translation>
    </message>
    <message>
        <source>The best span is “{words}”: start and end are {sum}, {percent} among all spans of this window.</source>
        <translation>Die beste Spanne ist „{words}“: Anfang und Ende ergeben {sum}, {percent} unter allen Spannen dieses Fensters.</translation>
    </message>
    <message>
        <source>The span looked at in window {number} of {count} is “{words}”: start and end are {sum}, {percent} among all spans of this window.</source>
        <translation>Die betrachtete Spanne in Fenster {number} von {count} ist „{words}“: Anfang und Ende ergeben {sum}, {percent} unter allen Spannen dieses Fensters.</translation>
    </message>
    <message>
        <source>The span looked at is “{words}”: start and end are {sum}, {percent} among all spans of this window.</source>
        <translation>Die betrachtete Spanne ist „{words}“: Anfang und Ende ergeben {sum}, {percent} unter allen Spannen dieses Fensters.</translation>
    </message>
    <message>
        <source>The null score, at {token}, is {null} ({null_percent}): the answer lies {lead} above it.</source>
        <translation>Der Null-Score, bei {token}, ist {null} ({null_percent}): Die Antwort liegt {lead} darüber.</translation>
    </message>
    <message>
        <source>The null score, at {token}, is {null} ({null_percent}): the span lies {lead} below it.</source>
        <translation>Der Null-Score, bei {token}, ist {null} ({null_percent}): Die Spanne liegt {lead} darunter.</translation>
    </message>
    <message>
        <source>This is window {number} of {count} of the text; the others are not in these numbers.</source>
        <translation>Dies ist Fenster {number} von {count} des Textes; die anderen sind in diesen Zahlen nicht enthalten.</translation>
    </message>
    <message>
        <source>In many small steps</source>
        <translation>In vielen kleinen Schritten</translation>
    </message>
    <message>
        <source>In one step</source>
        <translation>In einem Schritt</translation>
    </message>
    <message>
        <source>integrated gradients, Sundararajan et al. 2017</source>
        <translation>integrierte Gradienten, Sundararajan et al. 2017</translation>
    </message>
    <message>
        <source>gradient × input, Shrikumar et al. 2016</source>
        <translation>Gradient × Eingabe, Shrikumar et al. 2016</translation>
    </message>
    <message>
        <source>Why this answer</source>
        <translation>Warum diese Antwort</translation>
    </message>
    <message>
        <source>attribution, leaving out, attention</source>
        <translation>Attribution, Weglassen, Attention</translation>
    </message>
    <message>
        <source>Three ways to ask what the result rests on. None of them is the whole truth: the first shares the score out over the tokens, the second takes a sentence away and sees what becomes of the score, the third shows where each token looks inside the layers.</source>
        <translation>Drei Wege zu fragen, worauf das Ergebnis beruht. Keiner davon ist die ganze Wahrheit: Der erste verteilt den Score auf die Tokens, der zweite nimmt einen Satz heraus und sieht, was aus dem Score wird, der dritte zeigt, worauf jedes Token innerhalb der Schichten blickt.</translation>
    </message>
    <message>
        <source>How the score is shared out</source>
        <translation>Wie der Score verteilt wird</translation>
    </message>
    <message>
        <source>What is explained</source>
        <translation>Was erklärt wird</translation>
    </message>
    <message>
        <source>What speaks for it</source>
        <translation>Was dafür spricht</translation>
    </message>
    <message>
        <source>Which words speak for it</source>
        <translation>Welche Wörter dafür sprechen</translation>
    </message>
    <message>
        <source>attribution</source>
        <translation>Attribution</translation>
    </message>
    <message>
        <source>Amber ground speaks for the result, blue against it; the stronger, the more. The numbers are in logits, the score’s own unit.</source>
        <translation>Bernsteinfarbener Hintergrund spricht für das Ergebnis, blauer dagegen; je kräftiger, desto mehr. Die Zahlen sind in Logits, der eigenen Einheit des Scores.</translation>
    </message>
    <message>
        <source>Without a sentence</source>
        <translation>Ohne einen Satz</translation>
    </message>
    <message>
        <source>leave one out</source>
        <translation>je einen weglassen</translation>
    </message>
    <message>
        <source>Each sentence is taken out in turn and the rest read anew. Where the score falls much, the result rested on that sentence.</source>
        <translation>Jeder Satz wird der Reihe nach herausgenommen und der Rest neu gelesen. Wo der Score stark fällt, beruhte das Ergebnis auf diesem Satz.</translation>
    </message>
    <message>
        <source>Reading without each sentence</source>
        <translation>Lesen ohne den jeweiligen Satz</translation>
    </message>
    <message>
        <source>Following the score back to the words</source>
        <translation>Score wird zu den Wörtern zurückverfolgt</translation>
    </message>
    <message>
        <source>logits</source>
        <translation>Logits</translation>
    </message>
    <message>
        <source>With padding in place of all words it would be {baseline}, a difference of {difference}; the shares of the words add up to {sum}, off by {gap} ({steps} steps).</source>
        <translation>Mit Padding anstelle aller Wörter wäre er {baseline}, ein Unterschied von {difference}; die Anteile der Wörter ergeben zusammen {sum}, mit einer Abweichung von {gap} ({steps} Schritte).</translation>
    </message>
    <message>
        <source>One step tells the slope at this very text; the shares need not add up to the score.</source>
        <translation>Ein Schritt zeigt die Steigung genau bei diesem Text; die Anteile müssen sich nicht zum Score aufaddieren.</translation>
    </message>
    <message>
        <source>The text has no sentence that could be taken out.</source>
        <translation>Der Text hat keinen Satz, der sich herausnehmen ließe.</translation>
    </message>
    <message>
        <source>Without “{sentence}” it falls to {score}.</source>
        <translation>Ohne „{sentence}“ fällt er auf {score}.</translation>
    </message>
    <message>
        <source>There is no sentence without which it falls.</source>
        <translation>Es gibt keinen Satz, ohne den er fällt.</translation>
    </message>
    <message>
        <source>Score of {target}: {score}.</source>
        <translation>Score für {target}: {score}.</translation>
    </message>
    <message>
        <source>For the answer</source>
        <translation>Für die Antwort</translation>
    </message>
    <message>
        <source>For “the text does not say”</source>
        <translation>Für „Der Text sagt es nicht“</translation>
    </message>
    <message>
        <source>For “it follows”</source>
        <translation>Für „Schließt an“</translation>
    </message>
    <message>
        <source>For “it does not follow”</source>
        <translation>Für „Schließt nicht an“</translation>
    </message>
    <message>
        <source>For {label}</source>
        <translation>Für {label}</translation>
    </message>
    <message>
        <source>For the likeliest class</source>
        <translation>Für die wahrscheinlichste Klasse</translation>
    </message>
    <message>
        <source>For the likeliest word</source>
        <translation>Für das wahrscheinlichste Wort</translation>
    </message>
    <message>
        <source>The result itself</source>
        <translation>Das Ergebnis selbst</translation>
    </message>
    <message>
        <source>Where each token looks</source>
        <translation>Worauf jedes Token blickt</translation>
    </message>
    <message>
        <source>attention, softmax(QKᵀ / √d)</source>
        <translation>Attention, softmax(QKᵀ / √d)</translation>
    </message>
    <message>
        <source>In every layer each head shares one whole out over all tokens: what a token takes up comes from where it looks. Looking somewhere is not yet a reason: much of it goes to special tokens such as [SEP], which means nowhere in particular.</source>
        <translation>In jeder Schicht verteilt jeder Kopf ein Ganzes auf alle Tokens: Was ein Token aufnimmt, kommt von dort, wohin es blickt. Irgendwohin zu blicken ist noch kein Grund: Vieles davon geht an Spezialtokens wie [SEP], also nirgendwohin im Besonderen.</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Attention head</source>
        <translation>Attention-Kopf</translation>
    </message>
    <message>
        <source>How it is drawn</source>
        <translation>Darstellung</translation>
    </message>
    <message>
        <source>Lines</source>
        <translation>Linien</translation>
    </message>
    <message>
        <source>Grid</source>
        <translation>Raster</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>Looking at the attention</source>
        <translation>Attention wird angesehen</translation>
    </message>
    <message>
        <source>{number} of {count}</source>
        <translation>{number} von {count}</translation>
    </message>
    <message>
        <source>Arrow keys walk through the numbers.</source>
        <translation>Mit den Pfeiltasten durch die Zahlen gehen.</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} value</source>
        <comment>{n:,} values</comment>
        <translation>
            <numerusform>{n:,} Wert</numerusform>
            <numerusform>{n:,} Werte</numerusform>
        </translation>
    </message>
    <message>
        <source>Not {label}</source>
        <translation>Nicht {label}</translation>
    </message>
    <message>
        <source>{number} more</source>
        <translation>{number} weitere</translation>
    </message>
    <message>
        <source>Every label is below one half, the highest at {percent}</source>
        <translation>Jedes Label liegt unter der Hälfte, das höchste bei {percent}</translation>
    </message>
    <message>
        <source>{number} of {total} apply, each {percent}</source>
        <translation>{number} von {total} treffen zu, jeweils {percent}</translation>
    </message>
    <message>
        <source>{number} of {total} apply, from {least} to {most}</source>
        <translation>{number} von {total} treffen zu, von {least} bis {most}</translation>
    </message>
    <message>
        <source>Unsure: the likeliest of {number}, {percent}</source>
        <translation>Unsicher: die wahrscheinlichste von {number}, {percent}</translation>
    </message>
    <message>
        <source>Classification</source>
        <translation>Klassifikation</translation>
    </message>
    <message numerus="yes">
        <source>A long text: read whole in {n:,} window, then pooled.</source>
        <comment>A long text: read whole in {n:,} windows, then pooled.</comment>
        <translation>
            <numerusform>Ein langer Text: vollständig in {n:,} Fenster gelesen, dann gepoolt.</numerusform>
            <numerusform>Ein langer Text: vollständig in {n:,} Fenstern gelesen, dann gepoolt.</numerusform>
        </translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>CSV (for any spreadsheet)…</source>
        <translation>CSV (für jede Tabellenkalkulation)…</translation>
    </message>
    <message>
        <source>Excel workbook…</source>
        <translation>Excel-Arbeitsmappe…</translation>
    </message>
    <message>
        <source>Excel workbook (*.xlsx)</source>
        <translation>Excel-Arbeitsmappe (*.xlsx)</translation>
    </message>
    <message>
        <source>JSON Lines…</source>
        <translation>JSON Lines…</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>Documents ({endings});;Code, logs and data ({plain});;All files (*)</source>
        <translation>Dokumente ({endings});;Code, Protokolle und Daten ({plain});;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>See models that read {language}</source>
        <translation>Modelle für {language} ansehen</translation>
    </message>
    <message>
        <source>There is no document to read in “{folder}”.</source>
        <translation>In „{folder}“ gibt es kein Dokument zu lesen.</translation>
    </message>
    <message>
        <source>There is no document to read in “{folder}”, only files of other kinds: {kinds}.</source>
        <translation>In „{folder}“ gibt es kein Dokument zu lesen, nur Dateien anderer Typen: {kinds}.</translation>
    </message>
    <message>
        <source>PDF, Word, spreadsheets, slides, books, mails, web pages and plain texts are read, except hidden files.</source>
        <translation>Gelesen werden PDF, Word, Tabellen, Folien, Bücher, E-Mails, Webseiten und reine Texte, versteckte Dateien jedoch nicht.</translation>
    </message>
    <message>
        <source>nothing new</source>
        <translation>nichts Neues</translation>
    </message>
    <message>
        <source>{library}: {found}</source>
        <translation>{library}: {found}</translation>
    </message>
    <message>
        <source>{filter}: which models are listed</source>
        <translation>{filter}: welche Modelle aufgelistet werden</translation>
    </message>
    <message>
        <source>No program opened the folder.</source>
        <translation>Kein Programm hat den Ordner geöffnet.</translation>
    </message>
    <message>
        <source>The folder cannot be made.</source>
        <translation>Der Ordner kann nicht angelegt werden.</translation>
    </message>
    <message>
        <source>The folder is not there now.</source>
        <translation>Der Ordner ist gerade nicht da.</translation>
    </message>
    <message>
        <source>Password</source>
        <translation>Passwort</translation>
    </message>
    <message>
        <source>Password of the file</source>
        <translation>Passwort der Datei</translation>
    </message>
    <message>
        <source>Open with this password</source>
        <translation>Mit diesem Passwort öffnen</translation>
    </message>
    <message>
        <source>Do not open the encrypted file</source>
        <translation>Die verschlüsselte Datei nicht öffnen</translation>
    </message>
    <message>
        <source>That password does not fit.</source>
        <translation>Dieses Passwort passt nicht.</translation>
    </message>
    <message>
        <source>{file} is encrypted. Type its password to open it here.</source>
        <translation>{file} ist verschlüsselt. Geben Sie das Passwort ein, um die Datei hier zu öffnen.</translation>
    </message>
    <message>
        <source>This file is encrypted. Type its password to open it here.</source>
        <translation>Diese Datei ist verschlüsselt. Geben Sie ihr Passwort ein, um sie hier zu öffnen.</translation>
    </message>
    <message>
        <source>Waits for {ahead} to end</source>
        <translation>Wartet, bis {ahead} beendet ist</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Pause  (Esc)</source>
        <translation>Pause  (Esc)</translation>
    </message>
    <message>
        <source>Stop  (Esc)</source>
        <translation>Stopp  (Esc)</translation>
    </message>
    <message>
        <source>Try the sample {title}: {question}</source>
        <translation>Das Beispiel {title} ausprobieren: {question}</translation>
    </message>
    <message>
        <source>Try the sample: {title}</source>
        <translation>Das Beispiel ausprobieren: {title}</translation>
    </message>
    <message>
        <source>Class probabilities</source>
        <translation>Klassenwahrscheinlichkeiten</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Leeren</translation>
    </message>
    <message>
        <source>Clear  (Esc)</source>
        <translation>Leeren  (Esc)</translation>
    </message>
    <message>
        <source>Section</source>
        <translation>Abschnitt</translation>
    </message>
    <message>
        <source>Spanlight is not whole: {path} is missing.</source>
        <translation>Spanlight ist unvollständig: {path} fehlt.</translation>
    </message>
    <message>
        <source>Undo  (Ctrl+Z)</source>
        <translation>Rückgängig  (Strg+Z)</translation>
    </message>
    <message>
        <source>These words instead</source>
        <translation>Stattdessen diese Wörter</translation>
    </message>
    <message>
        <source>Select the right words in the document first  (E)</source>
        <translation>Zuerst die richtigen Wörter im Dokument auswählen  (E)</translation>
    </message>
    <message>
        <source>Not in the text</source>
        <translation>Nicht im Text</translation>
    </message>
    <message>
        <source>About {answer}:</source>
        <translation>Zu {answer}:</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>32 bits</source>
        <translation>32 Bit</translation>
    </message>
    <message>
        <source>16 bits, bfloat16</source>
        <translation>16 Bit, bfloat16</translation>
    </message>
    <message>
        <source>16 bits, float16</source>
        <translation>16 Bit, float16</translation>
    </message>
    <message>
        <source>16 bits (bfloat16)</source>
        <translation>16 Bit (bfloat16)</translation>
    </message>
    <message>
        <source>16 bits (float16)</source>
        <translation>16 Bit (float16)</translation>
    </message>
    <message>
        <source>Every number as exact as the model computes it.</source>
        <translation>Jede Zahl so genau, wie das Modell sie berechnet.</translation>
    </message>
    <message>
        <source>Half the memory. Numbers are rounded more coarsely: probabilities may differ a little.</source>
        <translation>Halber Speicherbedarf. Zahlen werden gröber gerundet: Wahrscheinlichkeiten können etwas abweichen.</translation>
    </message>
    <message>
        <source>Half the memory. Numbers are rounded, and very large ones do not fit: a few models fail with it.</source>
        <translation>Halber Speicherbedarf. Zahlen werden gerundet, und sehr große passen nicht hinein: Einige wenige Modelle funktionieren damit nicht.</translation>
    </message>
    <message>
        <source>It computes with 16 bits, which is fastest here.</source>
        <translation>Es rechnet mit 16 Bit, was hier am schnellsten ist.</translation>
    </message>
    <message>
        <source>It computes with 32 bits, which is faster here than 16.</source>
        <translation>Es rechnet mit 32 Bit, was hier schneller ist als 16.</translation>
    </message>
    <message>
        <source>It computes with {precision}, as was chosen.</source>
        <translation>Es rechnet wie gewählt mit: {precision}.</translation>
    </message>
    <message>
        <source>It is fastest with 16 bits.</source>
        <translation>Mit 16 Bit ist es am schnellsten.</translation>
    </message>
    <message>
        <source>It is faster with 32 bits than with 16.</source>
        <translation>Mit 32 Bit ist es schneller als mit 16.</translation>
    </message>
    <message>
        <source>It is fastest with {precision}.</source>
        <translation>Am schnellsten ist es mit: {precision}.</translation>
    </message>
    <message>
        <source>After the work that runs now.</source>
        <translation>Nach der laufenden Arbeit.</translation>
    </message>
    <message>
        <source>Looking at what this computer has…</source>
        <translation>Ausstattung des Computers wird ermittelt…</translation>
    </message>
    <message>
        <source>It was chosen, and is not here. Choose another one.</source>
        <translation>Gewählt, aber nicht vorhanden. Wählen Sie ein anderes Gerät.</translation>
    </message>
    <message>
        <source>Automatic takes {precision} here.</source>
        <translation>„Automatisch“ bedeutet hier {precision}.</translation>
    </message>
    <message>
        <source>What was chosen to run models does not compute in {precision}. Choose another one.</source>
        <translation>Das gewählte Gerät rechnet nicht mit {precision}. Wählen Sie eine andere Genauigkeit.</translation>
    </message>
    <message>
        <source>No model process runs.</source>
        <translation>Kein Modellprozess läuft.</translation>
    </message>
    <message>
        <source>The model process takes {size}.</source>
        <translation>Der Modellprozess belegt {size}.</translation>
    </message>
    <message>
        <source>{free} of the computer&apos;s {size} are free.</source>
        <translation>{free} von {size} Arbeitsspeicher sind frei.</translation>
    </message>
    <message>
        <source>{free} of the GPU&apos;s {size} are free.</source>
        <translation>{free} von {size} GPU-Speicher sind frei.</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} minute</source>
        <comment>{n:,} minutes</comment>
        <translation>
            <numerusform>{n:,} Minute</numerusform>
            <numerusform>{n:,} Minuten</numerusform>
        </translation>
    </message>
    <message>
        <source>Never</source>
        <translation>Nie</translation>
    </message>
    <message>
        <source>Takes the {device} now.</source>
        <translation>Derzeit {device}.</translation>
    </message>
    <message>
        <source>{free} of {whole} free</source>
        <translation>{free} von {whole} frei</translation>
    </message>
    <message>
        <source>for Look inside</source>
        <translation>für „Hineinsehen“</translation>
    </message>
    <message>
        <source>Where models run</source>
        <translation>Wo Modelle laufen</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Genauigkeit</translation>
    </message>
    <message>
        <source>Unload models</source>
        <translation>Modelle entladen</translation>
    </message>
    <message>
        <source>Unload when idle</source>
        <translation>Nach Leerlauf entladen</translation>
    </message>
    <message>
        <source>They are loaded again when they are needed.</source>
        <translation>Sie werden bei Bedarf wieder geladen.</translation>
    </message>
    <message>
        <source>{precision}: not computed in by what was chosen above.</source>
        <translation>{precision}: vom oben gewählten Gerät nicht unterstützt.</translation>
    </message>
    <message>
        <source>No model is in memory.</source>
        <translation>Kein Modell ist im Speicher.</translation>
    </message>
    <message>
        <source>Make room</source>
        <translation>Platz schaffen</translation>
    </message>
    <message>
        <source>Models not asked for so long leave the memory; the next question loads them again.</source>
        <translation>Modelle, die so lange nicht gebraucht wurden, werden entladen; die nächste Frage lädt sie wieder.</translation>
    </message>
    <message>
        <source>Spanlight’s choice</source>
        <translation>von Spanlight gewählt</translation>
    </message>
    <message>
        <source>the only one that can</source>
        <translation>das einzige, das es kann</translation>
    </message>
    <message>
        <source>Used for {page}</source>
        <translation>Verwendet für „{page}“</translation>
    </message>
    <message>
        <source>Let Spanlight choose</source>
        <translation>Spanlight wählen lassen</translation>
    </message>
    <message>
        <source>Use for {page}</source>
        <translation>Für „{page}“ verwenden</translation>
    </message>
    <message>
        <source>What it does</source>
        <translation>Was es kann</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Remove {model}?</source>
        <translation>{model} entfernen?</translation>
    </message>
    <message>
        <source>Also from the Hugging Face cache (frees {size})</source>
        <translation>Auch aus dem Hugging-Face-Cache (gibt {size} frei)</translation>
    </message>
    <message>
        <source>Other programs on this computer may use the same files</source>
        <translation>Andere Programme auf diesem Computer verwenden vielleicht dieselben Dateien</translation>
    </message>
    <message>
        <source>Download again…</source>
        <translation>Erneut herunterladen…</translation>
    </message>
    <message>
        <source>Measure…</source>
        <translation>Messen…</translation>
    </message>
    <message>
        <source>How good it is on questions with known answers</source>
        <translation>Wie gut es bei Fragen mit bekannten Antworten ist</translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation>Entfernen…</translation>
    </message>
    <message>
        <source>Remove  (Del)</source>
        <translation>Entfernen  (Entf)</translation>
    </message>
    <message>
        <source>{model}: {words}</source>
        <translation>{model}: {words}</translation>
    </message>
    <message>
        <source>{model} {state}</source>
        <translation>{model} {state}</translation>
    </message>
    <message>
        <source>Downloading {model}</source>
        <translation>{model} wird heruntergeladen</translation>
    </message>
    <message>
        <source>{model}: what was downloaded is deleted</source>
        <translation>{model}: Heruntergeladenes wurde gelöscht</translation>
    </message>
    <message>
        <source>Use it for {page}</source>
        <translation>Für „{page}“ verwenden</translation>
    </message>
    <message>
        <source>Spanlight is offline</source>
        <translation>Spanlight ist offline</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} von {total}</translation>
    </message>
    <message>
        <source>waits for {model}</source>
        <translation>wartet auf {model}</translation>
    </message>
    <message>
        <source>begins</source>
        <translation>beginnt</translation>
    </message>
    <message>
        <source>is being thrown away</source>
        <translation>wird verworfen</translation>
    </message>
    <message>
        <source>is installed, and used for {page} now</source>
        <translation>ist installiert und wird jetzt für „{page}“ verwendet</translation>
    </message>
    <message>
        <source>is installed</source>
        <translation>ist installiert</translation>
    </message>
    <message>
        <source>paused at {amount}, begun {moment}</source>
        <translation>pausiert bei {amount}, begonnen: {moment}</translation>
    </message>
    <message>
        <source>paused at {amount}</source>
        <translation>pausiert bei {amount}</translation>
    </message>
    <message>
        <source>{size} a second</source>
        <translation>{size} pro Sekunde</translation>
    </message>
    <message>
        <source>Folder…</source>
        <translation>Ordner…</translation>
    </message>
    <message>
        <source>Import a folder</source>
        <translation>Ordner importieren</translation>
    </message>
    <message>
        <source>Zip…</source>
        <translation>ZIP…</translation>
    </message>
    <message>
        <source>Import a zip</source>
        <translation>ZIP-Datei importieren</translation>
    </message>
    <message>
        <source>Leave the folder where it is</source>
        <translation>Ordner an seinem Ort lassen</translation>
    </message>
    <message>
        <source>Nothing is copied: the model is gone when the folder is moved or deleted</source>
        <translation>Nichts wird kopiert: Das Modell ist weg, wenn der Ordner verschoben oder gelöscht wird</translation>
    </message>
    <message>
        <source>A model you have already</source>
        <translation>Ein Modell, das Sie schon haben</translation>
    </message>
    <message>
        <source>Drop its folder or zip here. It is checked first.</source>
        <translation>Ordner oder ZIP-Datei hier ablegen. Das Modell wird zuerst geprüft.</translation>
    </message>
    <message>
        <source>Import a model&apos;s folder</source>
        <translation>Ordner eines Modells importieren</translation>
    </message>
    <message>
        <source>Zip files (*.zip)</source>
        <translation>ZIP-Dateien (*.zip)</translation>
    </message>
    <message>
        <source>{file} waits for the download</source>
        <translation>{file} wartet auf den Download</translation>
    </message>
    <message>
        <source>Importing {file}</source>
        <translation>{file} wird importiert</translation>
    </message>
    <message>
        <source>Importing it</source>
        <translation>Wird importiert</translation>
    </message>
    <message>
        <source>{file}: {what}</source>
        <translation>{file}: {what}</translation>
    </message>
    <message>
        <source>{model} is installed</source>
        <translation>{model} ist installiert</translation>
    </message>
    <message>
        <source>{file} was not imported</source>
        <translation>{file} wurde nicht importiert</translation>
    </message>
    <message>
        <source>Import stopped; nothing was added</source>
        <translation>Import gestoppt; nichts wurde hinzugefügt</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>Aufgabe</translation>
    </message>
    <message>
        <source>Installed</source>
        <translation>Installiert</translation>
    </message>
    <message>
        <source>Search what is installed</source>
        <translation>Installierte durchsuchen</translation>
    </message>
    <message>
        <source>Installed models</source>
        <translation>Installierte Modelle</translation>
    </message>
    <message>
        <source>It comes with Spanlight and cannot be removed.</source>
        <translation>Es gehört zu Spanlight und kann nicht entfernt werden.</translation>
    </message>
    <message>
        <source>Came from</source>
        <translation>Herkunft</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>No installed model fits this search.</source>
        <translation>Kein installiertes Modell passt zu dieser Suche.</translation>
    </message>
    <message>
        <source>No model is installed</source>
        <translation>Kein Modell installiert</translation>
    </message>
    <message>
        <source>Spanlight reads with models that lie on this computer. Choose one that suits you: a small one takes a minute to download.</source>
        <translation>Spanlight liest mit Modellen, die auf diesem Computer liegen. Wählen Sie eines, das Ihnen passt: Ein kleines ist in einer Minute heruntergeladen.</translation>
    </message>
    <message>
        <source>Get a model</source>
        <translation>Modell holen</translation>
    </message>
    <message>
        <source>Removing {model}</source>
        <translation>{model} wird entfernt</translation>
    </message>
    <message>
        <source>{model} removed</source>
        <translation>{model} entfernt</translation>
    </message>
    <message>
        <source>Its files stay in the Hugging Face cache, so that hardly any room is freed.</source>
        <translation>Die Dateien bleiben im Hugging-Face-Cache; es wird also kaum Platz frei.</translation>
    </message>
    <message>
        <source>This frees {size}; its files stay in the Hugging Face cache.</source>
        <translation>Das gibt {size} frei; die Dateien bleiben im Hugging-Face-Cache.</translation>
    </message>
    <message>
        <source>This frees {size}.</source>
        <translation>Das gibt {size} frei.</translation>
    </message>
    <message>
        <source>It is used for {pages}: another model takes its place where there is one.</source>
        <translation>Es wird verwendet für: {pages}. Ein anderes Modell tritt an seine Stelle, falls es eines gibt.</translation>
    </message>
    <message numerus="yes">
        <source>It answered {n:,} kept question; the answers stay.</source>
        <comment>It answered {n:,} kept questions; the answers stay.</comment>
        <translation>
            <numerusform>Es hat {n:,} gespeicherte Frage beantwortet; die Antworten bleiben.</numerusform>
            <numerusform>Es hat {n:,} gespeicherte Fragen beantwortet; die Antworten bleiben.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Its unfinished teaching from {n:,} correction goes too; the corrections stay.</source>
        <comment>Its unfinished teaching from {n:,} corrections goes too; the corrections stay.</comment>
        <translation>
            <numerusform>Sein unfertiges Anlernen mit {n:,} Korrektur entfällt auch; die Korrekturen bleiben.</numerusform>
            <numerusform>Sein unfertiges Anlernen mit {n:,} Korrekturen entfällt auch; die Korrekturen bleiben.</numerusform>
        </translation>
    </message>
    <message>
        <source>It was last used {moment}.</source>
        <translation>Zuletzt verwendet: {moment}.</translation>
    </message>
    <message>
        <source>Cannot be used</source>
        <translation>Nicht verwendbar</translation>
    </message>
    <message>
        <source>Makers&apos; figures</source>
        <translation>Angaben der Autoren</translation>
    </message>
    <message>
        <source>They came with the model, and were not checked here</source>
        <translation>Sie kamen mit dem Modell und wurden hier nicht geprüft</translation>
    </message>
    <message>
        <source>When taught</source>
        <translation>Beim Anlernen</translation>
    </message>
    <message>
        <source>Measured on this computer when it had been taught</source>
        <translation>Auf diesem Computer nach dem Anlernen gemessen</translation>
    </message>
    <message>
        <source>Name in commands</source>
        <translation>Name in Befehlen</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} byte</source>
        <comment>{n:,} bytes</comment>
        <translation>
            <numerusform>{n:,} Byte</numerusform>
            <numerusform>{n:,} Byte</numerusform>
        </translation>
    </message>
    <message>
        <source>Measured here</source>
        <translation>Hier gemessen</translation>
    </message>
    <message>
        <source>Not yet</source>
        <translation>Noch nicht</translation>
    </message>
    <message>
        <source>Last used</source>
        <translation>Zuletzt verwendet</translation>
    </message>
    <message>
        <source>A file of yours…</source>
        <translation>Eigene Datei…</translation>
    </message>
    <message>
        <source>The model calls things by other names. Say what each stands for in these examples; several may stand for one.</source>
        <translation>Das Modell nennt die Dinge anders. Geben Sie an, wofür jeder Name in diesen Beispielen steht; mehrere dürfen für dasselbe stehen.</translation>
    </message>
    <message>
        <source>Nothing here</source>
        <translation>Nichts davon</translation>
    </message>
    <message>
        <source>{label} stands for</source>
        <translation>{label} steht für</translation>
    </message>
    <message>
        <source>Examples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>Have the model read the examples  (Ctrl+Enter)</source>
        <translation>Das Modell die Beispiele lesen lassen  (Strg+Enter)</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Messen</translation>
    </message>
    <message>
        <source>None that can be measured is installed</source>
        <translation>Kein messbares Modell installiert</translation>
    </message>
    <message>
        <source>Choose a file with examples whose answers you know, or drop it here.</source>
        <translation>Wählen Sie eine Datei mit Beispielen, deren Antworten Sie kennen, oder legen Sie sie hier ab.</translation>
    </message>
    <message>
        <source>Measure another model on the same examples, and the two can be compared here.</source>
        <translation>Messen Sie ein weiteres Modell an denselben Beispielen, dann lassen sich die beiden hier vergleichen.</translation>
    </message>
    <message>
        <source>Figures side by side</source>
        <translation>Werte im Vergleich</translation>
    </message>
    <message>
        <source>Which examples were answered rightly</source>
        <translation>Welche Beispiele richtig beantwortet wurden</translation>
    </message>
    <message>
        <source>{examples}, on {device}, {moment}</source>
        <translation>{examples}, {device}, {moment}</translation>
    </message>
    <message>
        <source>The exact McNemar test, over the examples that only one of the two got right: p = {chance:.2g}. Below 0.05 a difference is commonly held to be no chance.</source>
        <translation>Der exakte McNemar-Test über die Beispiele, die nur eines von beiden richtig hatte: p = {chance:.2g}. Unter 0,05 gilt ein Unterschied gemeinhin nicht als Zufall.</translation>
    </message>
    <message>
        <source>Both right</source>
        <translation>Beide richtig</translation>
    </message>
    <message>
        <source>Only {model}</source>
        <translation>Nur {model}</translation>
    </message>
    <message>
        <source>Neither</source>
        <translation>Keines</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>Nichts</translation>
    </message>
    <message>
        <source>{number:,}, {share}</source>
        <translation>{number:,}, {share}</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>Examples a second, the model loaded before</source>
        <translation>Beispiele pro Sekunde bei bereits geladenem Modell</translation>
    </message>
    <message>
        <source>Examples a second, the model loaded before; the bar of the faster one is full</source>
        <translation>Beispiele pro Sekunde bei bereits geladenem Modell; der Balken des schnelleren ist voll</translation>
    </message>
    <message>
        <source>What it was measured on</source>
        <translation>Woran gemessen wurde</translation>
    </message>
    <message>
        <source>Number</source>
        <translation>Anzahl</translation>
    </message>
    <message>
        <source>Of questions, of classes (macro F1) or of names</source>
        <translation>Bei Fragen, Klassen (Makro-F1) oder Namen</translation>
    </message>
    <message>
        <source>A second</source>
        <translation>Pro Sekunde</translation>
    </message>
    <message>
        <source>Examples a second; of reading alone, the model loaded before</source>
        <translation>Beispiele pro Sekunde; nur das Lesen, bei bereits geladenem Modell</translation>
    </message>
    <message>
        <source>On</source>
        <translation>Auf</translation>
    </message>
    <message>
        <source>Where the model ran</source>
        <translation>Wo das Modell lief</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Wann</translation>
    </message>
    <message>
        <source>What was measured</source>
        <translation>Messungen</translation>
    </message>
    <message>
        <source>Measured so far</source>
        <translation>Bisher gemessen</translation>
    </message>
    <message>
        <source>The chosen rows, with every figure  (Ctrl+C)</source>
        <translation>Die ausgewählten Zeilen mit allen Werten  (Strg+C)</translation>
    </message>
    <message>
        <source>Copy as CSV</source>
        <translation>Als CSV kopieren</translation>
    </message>
    <message>
        <source>Delete the chosen rows  (Del)</source>
        <translation>Die ausgewählten Zeilen löschen  (Entf)</translation>
    </message>
    <message>
        <source>Copied as CSV</source>
        <translation>Als CSV kopiert</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} measure deleted</source>
        <comment>{n:,} measures deleted</comment>
        <translation>
            <numerusform>{n:,} Messung gelöscht</numerusform>
            <numerusform>{n:,} Messungen gelöscht</numerusform>
        </translation>
    </message>
    <message>
        <source>Only when asked</source>
        <translation>Nur auf Wunsch</translation>
    </message>
    <message>
        <source>Offline</source>
        <translation>Offline</translation>
    </message>
    <message>
        <source>The network is used only when you look up or download a model here, or check for updates in the settings. Your texts, questions and answers never leave this computer.</source>
        <translation>Das Netzwerk wird nur genutzt, wenn Sie hier ein Modell nachschlagen oder herunterladen oder in den Einstellungen nach Updates suchen. Ihre Texte, Fragen und Antworten verlassen diesen Computer nie.</translation>
    </message>
    <message>
        <source>Nothing is reached over the network. What is installed works as ever; no model can be looked up or downloaded, and no update be seen.</source>
        <translation>Über das Netzwerk wird nichts abgerufen. Was installiert ist, funktioniert wie immer; Modelle lassen sich weder nachschlagen noch herunterladen, und nach Updates wird nicht gesucht.</translation>
    </message>
    <message>
        <source>Where models are looked up. Another address is for a mirror.</source>
        <translation>Wo Modelle nachgeschlagen werden. Eine andere Adresse ist für einen Spiegelserver gedacht.</translation>
    </message>
    <message>
        <source>For computers that reach the network by way of another one.</source>
        <translation>Für Computer, die das Netzwerk über einen anderen erreichen.</translation>
    </message>
    <message>
        <source>The certificates that connections are checked with. Some companies and schools hand out a file of their own.</source>
        <translation>Die Zertifikate, mit denen Verbindungen geprüft werden. Manche Firmen und Schulen geben eine eigene Datei aus.</translation>
    </message>
    <message>
        <source>Downloads lie here, shared with other programs that use Hugging Face&apos;s tools.</source>
        <translation>Hier liegen Downloads, gemeinsam mit anderen Programmen, die Werkzeuge von Hugging Face verwenden.</translation>
    </message>
    <message>
        <source>How models are reached</source>
        <translation>Wie Modelle abgerufen werden</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>Proxy</translation>
    </message>
    <message>
        <source>The system&apos;s own</source>
        <translation>Wie im System</translation>
    </message>
    <message>
        <source>Certificates</source>
        <translation>Zertifikate</translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation>Datei wählen…</translation>
    </message>
    <message>
        <source>Folder for downloads</source>
        <translation>Ordner für Downloads</translation>
    </message>
    <message>
        <source>The standard one</source>
        <translation>Standardordner</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>Ordner wählen…</translation>
    </message>
    <message>
        <source>Send the saved token</source>
        <translation>Gespeichertes Token senden</translation>
    </message>
    <message>
        <source>Who is asking</source>
        <translation>Wer anfragt</translation>
    </message>
    <message>
        <source>The one that Hugging Face&apos;s tools have saved; only for models whose owners ask people to register. Without it, requests name no account.</source>
        <translation>Das Token, das die Werkzeuge von Hugging Face gespeichert haben; nur für Modelle, deren Eigentümer eine Registrierung verlangen. Ohne das Token nennen Anfragen kein Konto.</translation>
    </message>
    <message>
        <source>It is not used yet.</source>
        <translation>Es wird noch nicht verwendet.</translation>
    </message>
    <message>
        <source>Choose certificates</source>
        <translation>Zertifikate wählen</translation>
    </message>
    <message>
        <source>Certificates (*.pem *.crt *.cer);;All files (*)</source>
        <translation>Zertifikate (*.pem *.crt *.cer);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Choose a folder for downloads</source>
        <translation>Ordner für Downloads wählen</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Netzwerk</translation>
    </message>
    <message>
        <source>It is not in Spanlight’s own list.</source>
        <translation>Es steht nicht in der Liste von Spanlight.</translation>
    </message>
    <message>
        <source>This model cannot be used here.</source>
        <translation>Dieses Modell kann hier nicht verwendet werden.</translation>
    </message>
    <message>
        <source>Show it</source>
        <translation>Anzeigen</translation>
    </message>
    <message>
        <source>It is installed.</source>
        <translation>Es ist installiert.</translation>
    </message>
    <message>
        <source>It is being downloaded: see below.</source>
        <translation>Es wird heruntergeladen: siehe unten.</translation>
    </message>
    <message>
        <source>It was begun and is not finished: see below.</source>
        <translation>Der Download wurde begonnen, ist aber nicht fertig: siehe unten.</translation>
    </message>
    <message>
        <source>Network…</source>
        <translation>Netzwerk…</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Nothing of it was downloaded.</source>
        <translation>Nichts davon wurde heruntergeladen.</translation>
    </message>
    <message>
        <source>Look it up</source>
        <translation>Nachschlagen</translation>
    </message>
    <message>
        <source>Spanlight is offline: nothing is asked of the network.</source>
        <translation>Spanlight ist offline: Im Netzwerk wird nichts abgefragt.</translation>
    </message>
    <message>
        <source>Asks {host} about the model, and measures the download speed with about 2 MB. Nothing is kept yet.</source>
        <translation>Fragt {host} nach dem Modell und misst mit rund 2 MB, wie schnell der Download ist. Noch wird nichts gespeichert.</translation>
    </message>
    <message>
        <source>Download {size}</source>
        <translation>{size} herunterladen</translation>
    </message>
    <message>
        <source>There is not enough room: {size} are free.</source>
        <translation>Der Platz reicht nicht: {size} sind frei.</translation>
    </message>
    <message>
        <source>Add it</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Its files are in the Hugging Face cache: nothing is downloaded.</source>
        <translation>Die Dateien sind im Hugging-Face-Cache: Nichts wird heruntergeladen.</translation>
    </message>
    <message>
        <source>It can be paused, and goes on where it was.</source>
        <translation>Der Download kann pausiert werden und geht weiter, wo er war.</translation>
    </message>
    <message>
        <source>Its owner asks people to register first.</source>
        <translation>Der Eigentümer verlangt zuerst eine Registrierung.</translation>
    </message>
    <message>
        <source>Looking it up</source>
        <translation>Wird nachgeschlagen</translation>
    </message>
    <message>
        <source>{model} was looked up; nothing was downloaded</source>
        <translation>{model} wurde nachgeschlagen; nichts wurde heruntergeladen</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>organisation/name, or its address</source>
        <translation>Organisation/Name oder Adresse</translation>
    </message>
    <message>
        <source>A model&apos;s repository on Hugging Face, or its address</source>
        <translation>Das Repository eines Modells auf Hugging Face oder dessen Adresse</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Anzeigen</translation>
    </message>
    <message>
        <source>Show this repository</source>
        <translation>Dieses Repository anzeigen</translation>
    </message>
    <message>
        <source>Any other model</source>
        <translation>Ein anderes Modell</translation>
    </message>
    <message>
        <source>Show {repository}</source>
        <translation>{repository} anzeigen</translation>
    </message>
    <message>
        <source>Get more</source>
        <translation>Weitere Modelle</translation>
    </message>
    <message>
        <source>Search models</source>
        <translation>Modelle durchsuchen</translation>
    </message>
    <message>
        <source>Models that can be had</source>
        <translation>Verfügbare Modelle</translation>
    </message>
    <message>
        <source>No model of this list fits. Any other can be named below.</source>
        <translation>Kein Modell dieser Liste passt. Jedes andere kann unten genannt werden.</translation>
    </message>
    <message>
        <source>Which model would you like?</source>
        <translation>Welches Modell möchten Sie?</translation>
    </message>
    <message>
        <source>Choose one at the left to see what it can do, how large it is and under which licence it comes. Nothing is downloaded before you say so.</source>
        <translation>Wählen Sie links eines, um zu sehen, was es kann, wie groß es ist und unter welcher Lizenz es steht. Ohne Ihre Zustimmung wird nichts heruntergeladen.</translation>
    </message>
    <message>
        <source>Up to 100 MB</source>
        <translation>Bis 100 MB</translation>
    </message>
    <message>
        <source>Up to 300 MB</source>
        <translation>Bis 300 MB</translation>
    </message>
    <message>
        <source>Up to 600 MB</source>
        <translation>Bis 600 MB</translation>
    </message>
    <message>
        <source>Up to 1.5 GB</source>
        <translation>Bis 1,5 GB</translation>
    </message>
    <message>
        <source>Free for any use</source>
        <translation>Für jeden Zweck frei</translation>
    </message>
    <message>
        <source>With conditions</source>
        <translation>Mit Bedingungen</translation>
    </message>
    <message>
        <source>Yes: it says so where the text does not answer</source>
        <translation>Ja: Es meldet, wenn der Text keine Antwort gibt</translation>
    </message>
    <message>
        <source>No: it always gives an answer</source>
        <translation>Nein: Es gibt immer eine Antwort</translation>
    </message>
    <message>
        <source>Readers that are stronger than yours, {model}, are marked in the list.</source>
        <translation>Lesemodelle, die stärker sind als Ihres, {model}, sind in der Liste markiert.</translation>
    </message>
    <message>
        <source>Stronger</source>
        <translation>Stärker</translation>
    </message>
    <message>
        <source>{time} a page</source>
        <translation>{time} pro Seite</translation>
    </message>
    <message>
        <source>Recommended</source>
        <translation>Empfohlen</translation>
    </message>
    <message>
        <source>read on {date}</source>
        <translation>abgerufen am {date}</translation>
    </message>
    <message>
        <source>Does</source>
        <translation>Aufgabe</translation>
    </message>
    <message>
        <source>Says “no answer”</source>
        <translation>Meldet „keine Antwort“</translation>
    </message>
    <message>
        <source>Classes</source>
        <translation>Klassen</translation>
    </message>
    <message>
        <source>{size} to download</source>
        <translation>{size} zum Herunterladen</translation>
    </message>
    <message>
        <source>Reads</source>
        <translation>Liest</translation>
    </message>
    <message>
        <source>A longer text is read in windows that overlap</source>
        <translation>Ein längerer Text wird in überlappenden Fenstern gelesen</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Facts from</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>Heads found in its weights: {heads}</source>
        <translation>Köpfe in seinen Gewichten: {heads}</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>Only these; weights come as safetensors and are checked</source>
        <translation>Nur diese; Gewichte kommen als safetensors und werden geprüft</translation>
    </message>
    <message>
        <source>Commit</source>
        <translation>Commit</translation>
    </message>
    <message>
        <source>{commit}: what is downloaded is exactly this</source>
        <translation>{commit}: Genau dieser Stand wird heruntergeladen</translation>
    </message>
    <message>
        <source>F1 {value}</source>
        <translation>F1 {value}</translation>
    </message>
    <message>
        <source>On its dev set, as the authors report it; nobody measured it here</source>
        <translation>Auf den Dev-Daten, wie von den Autoren angegeben; hier hat es niemand gemessen</translation>
    </message>
    <message>
        <source>{size}; {cached} of it in the Hugging Face cache already</source>
        <translation>{size}; davon {cached} bereits im Hugging-Face-Cache</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Download</translation>
    </message>
    <message>
        <source>Takes</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>Free on the disk</source>
        <translation>Freier Speicherplatz</translation>
    </message>
    <message>
        <source>About {time} at {speed} a second</source>
        <translation>Etwa {time} bei {speed} pro Sekunde</translation>
    </message>
    <message>
        <source>To the chosen model&apos;s buttons</source>
        <translation>Zu den Schaltflächen des ausgewählten Modells</translation>
    </message>
    <message>
        <source>Remove the chosen model, after asking</source>
        <translation>Das ausgewählte Modell nach Rückfrage entfernen</translation>
    </message>
    <message>
        <source>Copy, delete, bring back what was measured</source>
        <translation>Messungen kopieren, löschen, wiederherstellen</translation>
    </message>
    <message>
        <source>Stop or pause</source>
        <translation>Stoppen oder pausieren</translation>
    </message>
    <message>
        <source>When it says 70%, how often is it right?</source>
        <translation>Wenn es 70&#xa0;% sagt, wie oft liegt es richtig?</translation>
    </message>
    <message>
        <source>Your verdicts</source>
        <translation>Ihre Urteile</translation>
    </message>
    <message>
        <source>Point at a mark, or walk with the arrow keys.</source>
        <translation>Zeigen Sie auf einen Punkt oder benutzen Sie die Pfeiltasten.</translation>
    </message>
    <message>
        <source>On the dashed line, it is right exactly as often as it says.</source>
        <translation>Auf der gestrichelten Linie liegt es genau so oft richtig, wie es sagt.</translation>
    </message>
    <message>
        <source>Words count as right when they share about half or more with a known answer (F1 of 0.5 or more), and never when the text does not answer. Marks for fewer than {fewest} questions are left out.</source>
        <translation>Wörter gelten als richtig, wenn sie etwa zur Hälfte oder mehr mit einer bekannten Antwort übereinstimmen (F1 ab 0,5), und nie, wenn der Text keine Antwort gibt. Punkte für weniger als {fewest} Fragen fehlen.</translation>
    </message>
    <message>
        <source>Of the answers that you judged, those are right whose words you found right. The line through their mark is the interval that holds the true share 95 times in 100.</source>
        <translation>Von den Antworten, die Sie beurteilt haben, zählen die als richtig, deren Wörter Sie richtig fanden. Die Linie durch ihren Punkt ist das Intervall, das den wahren Anteil in 95 von 100 Fällen enthält.</translation>
    </message>
    <message>
        <source>{kind}: says {said} on average, is right in {right} of {questions}</source>
        <translation>{kind}: sagt im Mittel {said}, ist richtig bei {right} von {questions}</translation>
    </message>
    <message>
        <source>too unsure</source>
        <translation>zu unsicher</translation>
    </message>
    <message>
        <source>too sure</source>
        <translation>zu sicher</translation>
    </message>
    <message>
        <source>How often it is right</source>
        <translation>Wie oft es richtigliegt</translation>
    </message>
    <message>
        <source>How sure it says it is</source>
        <translation>Wie sicher es sich gibt</translation>
    </message>
    <message>
        <source>Otherwise its probabilities are those that it came with; your verdicts stay</source>
        <translation>Sonst gelten die mitgelieferten Wahrscheinlichkeiten; Ihre Urteile bleiben</translation>
    </message>
    <message>
        <source>See your verdicts</source>
        <translation>Ihre Urteile ansehen</translation>
    </message>
    <message>
        <source>On the page Teach</source>
        <translation>Auf der Seite „Anlernen“</translation>
    </message>
    <message numerus="yes">
        <source>Adjust its probabilities to your {n:,} verdict</source>
        <comment>Adjust its probabilities to your {n:,} verdicts</comment>
        <translation>
            <numerusform>Wahrscheinlichkeiten an Ihr Urteil anpassen</numerusform>
            <numerusform>Wahrscheinlichkeiten an Ihre {n:,} Urteile anpassen</numerusform>
        </translation>
    </message>
    <message>
        <source>{kind}: says {said} on average, is right in {right} ({answers})</source>
        <translation>{kind}: sagt im Mittel {said}, ist richtig bei {right} ({answers})</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} answer</source>
        <comment>{n:,} answers</comment>
        <translation>
            <numerusform>{n:,} Antwort</numerusform>
            <numerusform>{n:,} Antworten</numerusform>
        </translation>
    </message>
    <message>
        <source>No request was ever made.</source>
        <translation>Es gab noch nie eine Anfrage.</translation>
    </message>
    <message>
        <source>The list was cleared. No request was made since.</source>
        <translation>Die Liste wurde geleert. Seitdem gab es keine Anfrage.</translation>
    </message>
    <message>
        <source>Each one is written down here before it is sent. Nothing else is sent; nobody is told how you use this.</source>
        <translation>Jede wird hier notiert, bevor sie gesendet wird. Sonst wird nichts gesendet; niemand erfährt, wie Sie das Programm nutzen.</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keine</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Warum</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>Received</source>
        <translation>Empfangen</translation>
    </message>
    <message>
        <source>Took</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>{seconds:.1f} s</source>
        <translation>{seconds:.1f} s</translation>
    </message>
    <message>
        <source>Requests over the network</source>
        <translation>Netzwerkanfragen</translation>
    </message>
    <message>
        <source>Search requests</source>
        <translation>Anfragen durchsuchen</translation>
    </message>
    <message>
        <source>Clear…</source>
        <translation>Leeren…</translation>
    </message>
    <message>
        <source>Clear the list</source>
        <translation>Liste leeren</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} request copied</source>
        <comment>{n:,} requests copied</comment>
        <translation>
            <numerusform>{n:,} Anfrage kopiert</numerusform>
            <numerusform>{n:,} Anfragen kopiert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Clear {n:,} request from this list? This cannot be undone.</source>
        <comment>Clear {n:,} requests from this list? This cannot be undone.</comment>
        <translation>
            <numerusform>{n:,} Anfrage aus dieser Liste löschen? Das lässt sich nicht rückgängig machen.</numerusform>
            <numerusform>{n:,} Anfragen aus dieser Liste löschen? Das lässt sich nicht rückgängig machen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} request</source>
        <comment>{n:,} requests</comment>
        <translation>
            <numerusform>{n:,} Anfrage</numerusform>
            <numerusform>{n:,} Anfragen</numerusform>
        </translation>
    </message>
    <message>
        <source>{shown:,} of {requests}</source>
        <translation>{shown:,} von {requests}</translation>
    </message>
    <message>
        <source>Every request</source>
        <translation>Alle Anfragen</translation>
    </message>
    <message>
        <source>Throw away…</source>
        <translation>Verwerfen…</translation>
    </message>
    <message>
        <source>Throw away</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>Downloads</translation>
    </message>
    <message>
        <source>Libraries</source>
        <translation>Bibliotheken</translation>
    </message>
    <message>
        <source>Answers questions</source>
        <translation>Beantwortet Fragen</translation>
    </message>
    <message>
        <source>answers questions</source>
        <translation>beantwortet Fragen</translation>
    </message>
    <message>
        <source>Classifies</source>
        <translation>Klassifiziert</translation>
    </message>
    <message>
        <source>classifies</source>
        <translation>klassifiziert</translation>
    </message>
    <message>
        <source>Fills in words</source>
        <translation>Füllt Lücken</translation>
    </message>
    <message>
        <source>fills in words</source>
        <translation>füllt Lücken</translation>
    </message>
    <message>
        <source>Tells what follows</source>
        <translation>Erkennt, was folgt</translation>
    </message>
    <message>
        <source>tells what follows</source>
        <translation>erkennt, was folgt</translation>
    </message>
    <message>
        <source>finds names</source>
        <translation>findet Namen</translation>
    </message>
    <message>
        <source>finds passages by meaning</source>
        <translation>findet Passagen nach Bedeutung</translation>
    </message>
    <message>
        <source>exact</source>
        <translation>exakt</translation>
    </message>
    <message>
        <source>hidden word right</source>
        <translation>verdecktes Wort richtig</translation>
    </message>
    <message>
        <source>among its first five</source>
        <translation>unter den ersten fünf</translation>
    </message>
    <message>
        <source>what follows right</source>
        <translation>Folgesatz richtig</translation>
    </message>
    <message>
        <source>calibration error</source>
        <translation>Kalibrierungsfehler</translation>
    </message>
    <message>
        <source>{tokens:,} tokens at a time, about {words:,.0f} words</source>
        <translation>{tokens:,} Tokens auf einmal, etwa {words:,.0f} Wörter</translation>
    </message>
    <message>
        <source>{number:.1f} million</source>
        <translation>{number:.1f} Millionen</translation>
    </message>
    <message>
        <source>{number:,.0f} million</source>
        <translation>{number:,.0f} Millionen</translation>
    </message>
    <message>
        <source>{family}; parameters, and how each is stored</source>
        <translation>{family}; Parameter, und wie jeder gespeichert ist</translation>
    </message>
    <message>
        <source>As its authors state it</source>
        <translation>Nach Angabe der Autoren</translation>
    </message>
    <message>
        <source>{data} ({examples}): {figures}, {speed}</source>
        <translation>{data} ({examples}): {figures}, {speed}</translation>
    </message>
    <message>
        <source>{data} ({examples}): {figures}</source>
        <translation>{data} ({examples}): {figures}</translation>
    </message>
    <message>
        <source>As the model gives them, never fitted to examples: it may be too sure</source>
        <translation>Wie vom Modell ausgegeben, nie an Beispiele angepasst: Es ist vielleicht zu sicher</translation>
    </message>
    <message>
        <source>{command} fits them</source>
        <translation>{command} passt sie an</translation>
    </message>
    <message>
        <source>{figure} {number:.0f}%</source>
        <translation>{figure} {number:.0f}&#xa0;%</translation>
    </message>
    <message>
        <source>comes with Spanlight</source>
        <translation>gehört zu Spanlight</translation>
    </message>
    <message>
        <source>Its folder was put here by hand</source>
        <translation>Der Ordner wurde von Hand hier abgelegt</translation>
    </message>
    <message>
        <source>Added {moment}</source>
        <translation>Hinzugefügt: {moment}</translation>
    </message>
    <message>
        <source>Its files are in the Hugging Face cache</source>
        <translation>Die Dateien sind im Hugging-Face-Cache</translation>
    </message>
    <message>
        <source>Added {moment}; its files are in the Hugging Face cache</source>
        <translation>Hinzugefügt: {moment}; die Dateien sind im Hugging-Face-Cache</translation>
    </message>
    <message>
        <source>{repository}, commit {commit}</source>
        <translation>{repository}, Commit {commit}</translation>
    </message>
    <message>
        <source>Taught on this computer {moment}</source>
        <translation>Auf diesem Computer angelernt: {moment}</translation>
    </message>
    <message>
        <source>Taught on this computer</source>
        <translation>Auf diesem Computer angelernt</translation>
    </message>
    <message>
        <source>The zip {path}</source>
        <translation>Die ZIP-Datei {path}</translation>
    </message>
    <message>
        <source>The folder {path}; its files were left there</source>
        <translation>Der Ordner {path}; die Dateien wurden dort belassen</translation>
    </message>
    <message>
        <source>The folder {path}</source>
        <translation>Der Ordner {path}</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>Wie im System</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>Nothing moves by itself</source>
        <translation>Keine Animationen</translation>
    </message>
    <message>
        <source>Model that answers</source>
        <translation>Modell für Antworten</translation>
    </message>
    <message>
        <source>Model that classifies</source>
        <translation>Modell zum Klassifizieren</translation>
    </message>
    <message>
        <source>Model that fills in words</source>
        <translation>Modell für Lücken</translation>
    </message>
    <message>
        <source>Model that tells what follows</source>
        <translation>Modell für Folgesätze</translation>
    </message>
    <message>
        <source>Model that finds names</source>
        <translation>Modell für Namen</translation>
    </message>
    <message>
        <source>Model that searches libraries</source>
        <translation>Modell für Bibliotheken</translation>
    </message>
    <message>
        <source>Likeliest passages</source>
        <translation>Wahrscheinlichste Passagen</translation>
    </message>
    <message>
        <source>Every passage</source>
        <translation>Alle Passagen</translation>
    </message>
    <message>
        <source>Quickest</source>
        <translation>Am schnellsten</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Do not keep</source>
        <translation>Nicht speichern</translation>
    </message>
    <message>
        <source>Automatic: a GPU if there is one</source>
        <translation>Automatisch: eine GPU, falls vorhanden</translation>
    </message>
    <message>
        <source>{device} number {number}</source>
        <translation>{device} Nummer {number}</translation>
    </message>
    <message>
        <source>{device}, in {precision}</source>
        <translation>{device}, mit {precision}</translation>
    </message>
    <message>
        <source>Only when asked: for models, and for updates</source>
        <translation>Nur auf Wunsch: für Modelle und Updates</translation>
    </message>
    <message>
        <source>{number:.0f} million weights.</source>
        <translation>{number:.0f} Millionen Gewichte.</translation>
    </message>
    <message>
        <source>{model} (not installed)</source>
        <translation>{model} (nicht installiert)</translation>
    </message>
    <message>
        <source>None is installed</source>
        <translation>Keines installiert</translation>
    </message>
    <message>
        <source>Look</source>
        <translation>Darstellung</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>Textgröße</translation>
    </message>
    <message>
        <source>Motion</source>
        <translation>Bewegung</translation>
    </message>
    <message>
        <source>What is read</source>
        <translation>Was gelesen wird</translation>
    </message>
    <message>
        <source>Models: This computer</source>
        <translation>Modelle: Dieser Computer</translation>
    </message>
    <message>
        <source>Models: Network</source>
        <translation>Modelle: Netzwerk</translation>
    </message>
    <message>
        <source>About Spanlight</source>
        <translation>Über Spanlight</translation>
    </message>
    <message>
        <source>Answers listed</source>
        <translation>Angezeigte Antworten</translation>
    </message>
    <message>
        <source>Open the folder where things are kept</source>
        <translation>Den Ordner öffnen, in dem alles gespeichert ist</translation>
    </message>
    <message>
        <source>The language changes when Spanlight starts again.</source>
        <translation>Die Sprache wechselt, wenn Spanlight neu startet.</translation>
    </message>
    <message>
        <source>Start again now</source>
        <translation>Jetzt neu starten</translation>
    </message>
    <message>
        <source>Folder: {path}</source>
        <translation>Ordner: {path}</translation>
    </message>
    <message>
        <source>Of a long document. A quick reader finds the likeliest passages for the careful one; every passage takes longer, and the quickest way, by the quick reader alone, is wrong more often.</source>
        <translation>Bei langen Dokumenten. Ein schnelles Lesemodell findet die wahrscheinlichsten Passagen für das gründliche; alle Passagen zu lesen dauert länger, und der schnellste Weg, nur mit dem schnellen Lesemodell, irrt öfter.</translation>
    </message>
    <message>
        <source>The best answer and the next best, for every question.</source>
        <translation>Die beste Antwort und die nächstbesten, zu jeder Frage.</translation>
    </message>
    <message>
        <source>Questions with their answers, kept on this computer only.</source>
        <translation>Fragen mit ihren Antworten, nur auf diesem Computer gespeichert.</translation>
    </message>
    <message>
        <source>Kept in</source>
        <translation>Gespeichert in</translation>
    </message>
    <message>
        <source>Texts, drafts and answers stay here and never leave this computer.</source>
        <translation>Texte, Entwürfe und Antworten bleiben hier und verlassen diesen Computer nie.</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>Version</translation>
    </message>
    <message>
        <source>No address is known yet where new versions are announced: write one here when you have it. Spanlight never looks by itself.</source>
        <translation>Noch ist keine Adresse bekannt, unter der neue Versionen angekündigt werden: Tragen Sie hier eine ein, wenn Sie sie haben. Spanlight sucht nie von selbst.</translation>
    </message>
    <message>
        <source>Asked only when you press the button; Spanlight never looks by itself.</source>
        <translation>Gesucht wird nur auf Knopfdruck; Spanlight sucht nie von selbst.</translation>
    </message>
    <message>
        <source>What is new</source>
        <translation>Was ist neu</translation>
    </message>
    <message>
        <source>Open its page</source>
        <translation>Seite öffnen</translation>
    </message>
    <message>
        <source>Copy the address</source>
        <translation>Adresse kopieren</translation>
    </message>
    <message>
        <source>Copy the address of its page</source>
        <translation>Die Adresse der Seite kopieren</translation>
    </message>
    <message>
        <source>Version {version} of {day} is there.</source>
        <translation>Version {version} vom {day} ist da.</translation>
    </message>
    <message>
        <source>Open the page of version {version}</source>
        <translation>Die Seite von Version {version} öffnen</translation>
    </message>
    <message>
        <source>Spanlight {version} is the newest version.</source>
        <translation>Spanlight {version} ist die neueste Version.</translation>
    </message>
    <message>
        <source>For this computer: {file}, {size}</source>
        <translation>Für diesen Computer: {file}, {size}</translation>
    </message>
    <message>
        <source>Where new versions are announced</source>
        <translation>Wo neue Versionen angekündigt werden</translation>
    </message>
    <message>
        <source>No program opened the page.</source>
        <translation>Kein Programm hat die Seite geöffnet.</translation>
    </message>
    <message>
        <source>Its address can be copied instead.</source>
        <translation>Stattdessen kann ihre Adresse kopiert werden.</translation>
    </message>
    <message>
        <source>Check now</source>
        <translation>Jetzt suchen</translation>
    </message>
    <message>
        <source>Check now for a newer version</source>
        <translation>Jetzt nach einer neueren Version suchen</translation>
    </message>
    <message>
        <source>{remark} It is not used yet.</source>
        <translation>{remark} Die Adresse wird noch nicht verwendet.</translation>
    </message>
    <message>
        <source>Asking {host}…</source>
        <translation>{host} wird abgefragt…</translation>
    </message>
    <message>
        <source>Questions</source>
        <translation>Fragen</translation>
    </message>
    <message>
        <source>Answers: documents by questions</source>
        <translation>Antworten: Dokumente und Fragen</translation>
    </message>
    <message>
        <source>This file has changed since its answers were read.</source>
        <translation>Diese Datei hat sich geändert, seit ihre Antworten gelesen wurden.</translation>
    </message>
    <message>
        <source>These words are not on the page where they were read.</source>
        <translation>Diese Wörter stehen nicht auf der Seite, auf der sie gelesen wurden.</translation>
    </message>
    <message>
        <source>Select the right words in the document first, then press E.</source>
        <translation>Wählen Sie zuerst die richtigen Wörter im Dokument aus, dann drücken Sie E.</translation>
    </message>
    <message>
        <source>The document beside the table</source>
        <translation>Das Dokument neben der Tabelle</translation>
    </message>
    <message>
        <source>Close the document</source>
        <translation>Dokument schließen</translation>
    </message>
    <message>
        <source>Close  (Esc)</source>
        <translation>Schließen  (Esc)</translation>
    </message>
    <message>
        <source>They will be read again at the library&apos;s next update.</source>
        <translation>Sie werden bei der nächsten Aktualisierung der Bibliothek neu gelesen.</translation>
    </message>
    <message>
        <source>Not read yet</source>
        <translation>Noch nicht gelesen</translation>
    </message>
    <message>
        <source>no text</source>
        <translation>kein Text</translation>
    </message>
    <message>
        <source>yes/no</source>
        <translation>ja/nein</translation>
    </message>
    <message>
        <source>date</source>
        <translation>Datum</translation>
    </message>
    <message>
        <source>amount</source>
        <translation>Betrag</translation>
    </message>
    <message>
        <source>number</source>
        <translation>Zahl</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>Wird gelesen…</translation>
    </message>
    <message>
        <source>Reading, {percent}</source>
        <translation>Wird gelesen, {percent}</translation>
    </message>
    <message>
        <source>Could not be read</source>
        <translation>Nicht lesbar</translation>
    </message>
    <message>
        <source>No text</source>
        <translation>Kein Text</translation>
    </message>
    <message>
        <source>The file has no text</source>
        <translation>Die Datei enthält keinen Text</translation>
    </message>
    <message>
        <source>No answer in the part that was read</source>
        <translation>Keine Antwort im gelesenen Teil</translation>
    </message>
    <message>
        <source>reader: no answer in the part that was read</source>
        <translation>Lesemodell: keine Antwort im gelesenen Teil</translation>
    </message>
    <message>
        <source>low confidence</source>
        <translation>geringe Sicherheit</translation>
    </message>
    <message>
        <source>reader: not in the text</source>
        <translation>Lesemodell: nicht im Text</translation>
    </message>
    <message>
        <source>reader: {words}</source>
        <translation>Lesemodell: {words}</translation>
    </message>
    <message>
        <source>Not there</source>
        <translation>Nicht im Text</translation>
    </message>
    <message>
        <source>yours</source>
        <translation>von Ihnen</translation>
    </message>
    <message>
        <source>you said: right</source>
        <translation>Ihr Urteil: richtig</translation>
    </message>
    <message>
        <source>you said: not there</source>
        <translation>Ihr Urteil: nicht im Text</translation>
    </message>
    <message>
        <source>p. {label}</source>
        <translation>S. {label}</translation>
    </message>
    <message>
        <source>p. {number:,}</source>
        <translation>S. {number:,}</translation>
    </message>
    <message>
        <source>Documents of the table</source>
        <translation>Dokumente der Tabelle</translation>
    </message>
    <message>
        <source>Tick all</source>
        <translation>Alle auswählen</translation>
    </message>
    <message>
        <source>All that are shown</source>
        <translation>Alle angezeigten</translation>
    </message>
    <message>
        <source>Tick none</source>
        <translation>Keine auswählen</translation>
    </message>
    <message>
        <source>None of those that are shown</source>
        <translation>Keines der angezeigten</translation>
    </message>
    <message numerus="yes">
        <source>All {n:,} document, including any added later</source>
        <comment>All {n:,} documents, including any added later</comment>
        <translation>
            <numerusform>Alle Dokumente ({n:,}), auch später hinzugefügte</numerusform>
            <numerusform>Alle {n:,} Dokumente, auch später hinzugefügte</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{ticked:,} of {n:,} document</source>
        <comment>{ticked:,} of {n:,} documents</comment>
        <translation>
            <numerusform>{ticked:,} von {n:,} Dokument</numerusform>
            <numerusform>{ticked:,} von {n:,} Dokumenten</numerusform>
        </translation>
    </message>
    <message>
        <source>Results (*.jsonl *.parquet);;All files (*)</source>
        <translation>Ergebnisse (*.jsonl *.parquet);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Export the table</source>
        <translation>Tabelle exportieren</translation>
    </message>
    <message>
        <source>Open results</source>
        <translation>Ergebnisse öffnen</translation>
    </message>
    <message>
        <source>Opening {file}…</source>
        <translation>{file} wird geöffnet …</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} document opened so far</source>
        <comment>{n:,} documents opened so far</comment>
        <translation>
            <numerusform>Bisher {n:,} Dokument geöffnet</numerusform>
            <numerusform>Bisher {n:,} Dokumente geöffnet</numerusform>
        </translation>
    </message>
    <message>
        <source>The list that the questions came from</source>
        <translation>Die Liste, aus der die Fragen stammen</translation>
    </message>
    <message>
        <source>{list} answered</source>
        <translation>{list} beantwortet</translation>
    </message>
    <message>
        <source>The list with its answers (*{suffix})</source>
        <translation>Die Liste mit ihren Antworten (*{suffix})</translation>
    </message>
    <message>
        <source>The list with its answers</source>
        <translation>Die Liste mit ihren Antworten</translation>
    </message>
    <message>
        <source>Exported to {file}</source>
        <translation>Nach {file} exportiert</translation>
    </message>
    <message>
        <source>Filling {table}</source>
        <translation>{table} wird gefüllt</translation>
    </message>
    <message>
        <source>the filling of the table</source>
        <translation>das Füllen der Tabelle</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>Every document</source>
        <translation>Alle Dokumente</translation>
    </message>
    <message>
        <source>Low confidence</source>
        <translation>Geringe Sicherheit</translation>
    </message>
    <message>
        <source>Words that may or may not be the answer</source>
        <translation>Wörter, die vielleicht die Antwort sind</translation>
    </message>
    <message>
        <source>Not looked at</source>
        <translation>Ungeprüft</translation>
    </message>
    <message>
        <source>Answers without a verdict of yours</source>
        <translation>Antworten ohne Ihr Urteil</translation>
    </message>
    <message>
        <source>Unsure first</source>
        <translation>Unsichere zuerst</translation>
    </message>
    <message>
        <source>Answers without a verdict, the least sure first</source>
        <translation>Antworten ohne Urteil, die unsichersten zuerst</translation>
    </message>
    <message>
        <source>Questions that a document does not answer</source>
        <translation>Fragen, auf die ein Dokument nicht antwortet</translation>
    </message>
    <message>
        <source>Disagreeing</source>
        <translation>Abweichend</translation>
    </message>
    <message>
        <source>Answers that you said are wrong</source>
        <translation>Antworten, die Sie als falsch beurteilt haben</translation>
    </message>
    <message>
        <source>Not read whole</source>
        <translation>Nicht ganz gelesen</translation>
    </message>
    <message>
        <source>Files that could not be read, and questions without an answer in the part that was</source>
        <translation>Dateien, die nicht gelesen werden konnten, und Fragen ohne Antwort im gelesenen Teil</translation>
    </message>
    <message>
        <source>Open results…</source>
        <translation>Ergebnisse öffnen …</translation>
    </message>
    <message>
        <source>Choose the documents of this table</source>
        <translation>Die Dokumente dieser Tabelle auswählen</translation>
    </message>
    <message>
        <source>Cells that were read</source>
        <translation>Gelesene Zellen</translation>
    </message>
    <message>
        <source>Fill</source>
        <translation>Füllen</translation>
    </message>
    <message>
        <source>Back into the loaded list…</source>
        <translation>Zurück in die geladene Liste…</translation>
    </message>
    <message>
        <source>Add a question</source>
        <translation>Frage hinzufügen</translation>
    </message>
    <message>
        <source>Add a question  (Ctrl+L)</source>
        <translation>Frage hinzufügen  (Strg+L)</translation>
    </message>
    <message>
        <source>How many of the answers that you checked were right. In brackets: the share of right answers to expect in the whole table, with 95% confidence.</source>
        <translation>Wie viele der von Ihnen geprüften Antworten richtig waren. In Klammern: der Anteil richtiger Antworten, der in der ganzen Tabelle mit 95&#xa0;% Konfidenz zu erwarten ist.</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>Table: {name}</source>
        <translation>Tabelle: {name}</translation>
    </message>
    <message>
        <source>{name}: rename it, or choose another table</source>
        <translation>{name}: umbenennen oder andere Tabelle wählen</translation>
    </message>
    <message>
        <source>New table…</source>
        <translation>Neue Tabelle…</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>Umbenennen…</translation>
    </message>
    <message>
        <source>Choose documents…</source>
        <translation>Dokumente auswählen…</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} document chosen</source>
        <comment>{n:,} documents chosen</comment>
        <translation>
            <numerusform>{n:,} Dokument ausgewählt</numerusform>
            <numerusform>{n:,} Dokumente ausgewählt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{there:,} of {n:,} document chosen</source>
        <comment>{there:,} of {n:,} documents chosen</comment>
        <translation>
            <numerusform>{there:,} von {n:,} ausgewählten Dokument vorhanden</numerusform>
            <numerusform>{there:,} von {n:,} ausgewählten Dokumenten vorhanden</numerusform>
        </translation>
    </message>
    <message>
        <source>continues after other work</source>
        <translation>geht nach anderer Arbeit weiter</translation>
    </message>
    <message>
        <source>Stop reading for now; what was read stays</source>
        <translation>Das Lesen vorerst pausieren; was gelesen wurde, bleibt</translation>
    </message>
    <message>
        <source>Read what is not read yet</source>
        <translation>Lesen, was noch nicht gelesen ist</translation>
    </message>
    <message>
        <source>Its library was removed; what was read stays.</source>
        <translation>Die Bibliothek wurde entfernt; was gelesen wurde, bleibt.</translation>
    </message>
    <message>
        <source>Type a question, or paste several, one a line</source>
        <translation>Frage eingeben oder mehrere einfügen, eine pro Zeile</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Another wording is another question: its answers are read anew.</source>
        <translation>Ein anderer Wortlaut ist eine andere Frage: Ihre Antworten werden neu gelesen.</translation>
    </message>
    <message>
        <source>The table’s name</source>
        <translation>Name der Tabelle</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>These questions are kept under a name, for other libraries.</source>
        <translation>Diese Fragen werden unter einem Namen gespeichert, für andere Bibliotheken.</translation>
    </message>
    <message>
        <source>A name for these questions</source>
        <translation>Ein Name für diese Fragen</translation>
    </message>
    <message>
        <source>Load a list…</source>
        <translation>Liste laden…</translation>
    </message>
    <message>
        <source>Questions from a CSV, an Excel workbook or a text, one a line</source>
        <translation>Fragen aus CSV, Excel-Arbeitsmappe oder Text, eine pro Zeile</translation>
    </message>
    <message>
        <source>Sets of questions</source>
        <translation>Fragensets</translation>
    </message>
    <message>
        <source>Close this line</source>
        <translation>Diese Zeile schließen</translation>
    </message>
    <message>
        <source>Save these questions as a set…</source>
        <translation>Diese Fragen als Set speichern…</translation>
    </message>
    <message>
        <source>Remove a set</source>
        <translation>Set entfernen</translation>
    </message>
    <message>
        <source>Lists of questions (*.csv *.tsv *.xlsx *.txt *.md);;All files (*)</source>
        <translation>Listen mit Fragen (*.csv *.tsv *.xlsx *.txt *.md);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Sort, smallest first</source>
        <translation>Aufsteigend sortieren</translation>
    </message>
    <message>
        <source>Sort, largest first</source>
        <translation>Absteigend sortieren</translation>
    </message>
    <message>
        <source>Sort by document</source>
        <translation>Nach Dokument sortieren</translation>
    </message>
    <message>
        <source>The answers are</source>
        <translation>Art der Antworten</translation>
    </message>
    <message>
        <source>Change the question…</source>
        <translation>Frage ändern…</translation>
    </message>
    <message>
        <source>Move to the left</source>
        <translation>Nach links verschieben</translation>
    </message>
    <message>
        <source>Move to the right</source>
        <translation>Nach rechts verschieben</translation>
    </message>
    <message>
        <source>Remove the question</source>
        <translation>Frage entfernen</translation>
    </message>
    <message>
        <source>“{question}” removed</source>
        <translation>„{question}“ entfernt</translation>
    </message>
    <message>
        <source>Set “{name}” replaced</source>
        <translation>Set „{name}“ ersetzt</translation>
    </message>
    <message>
        <source>The questions are saved as a set</source>
        <translation>Die Fragen sind als Set gespeichert</translation>
    </message>
    <message>
        <source>Set “{name}” removed</source>
        <translation>Set „{name}“ entfernt</translation>
    </message>
    <message>
        <source>A list of questions</source>
        <translation>Eine Liste mit Fragen</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} question loaded</source>
        <comment>{n:,} questions loaded</comment>
        <translation>
            <numerusform>{n:,} Frage geladen</numerusform>
            <numerusform>{n:,} Fragen geladen</numerusform>
        </translation>
    </message>
    <message>
        <source>Checked {looked_at:,}: {right:,} right ({low} to {high}%)</source>
        <translation>{looked_at:,} geprüft: {right:,} richtig ({low} bis {high}&#xa0;%)</translation>
    </message>
    <message>
        <source>Open the document beside the table</source>
        <translation>Das Dokument neben der Tabelle öffnen</translation>
    </message>
    <message>
        <source>Take the words selected in the document instead</source>
        <translation>Stattdessen die im Dokument ausgewählten Wörter nehmen</translation>
    </message>
    <message>
        <source>The document does not answer</source>
        <translation>Das Dokument antwortet nicht</translation>
    </message>
    <message>
        <source>Undo the last of these</source>
        <translation>Das letzte davon rückgängig machen</translation>
    </message>
    <message>
        <source>The next cell that the filter looks for</source>
        <translation>Die nächste Zelle, die der Filter sucht</translation>
    </message>
    <message>
        <source>Add questions</source>
        <translation>Fragen hinzufügen</translation>
    </message>
    <message>
        <source>Change the question</source>
        <translation>Frage ändern</translation>
    </message>
    <message>
        <source>Move the question to the left</source>
        <translation>Frage nach links verschieben</translation>
    </message>
    <message>
        <source>Move the question to the right</source>
        <translation>Frage nach rechts verschieben</translation>
    </message>
    <message>
        <source>Copy the selected answers</source>
        <translation>Die ausgewählten Antworten kopieren</translation>
    </message>
    <message>
        <source>Find in the document beside the table</source>
        <translation>Im Dokument neben der Tabelle suchen</translation>
    </message>
    <message>
        <source>Larger, smaller, usual size of the document</source>
        <translation>Dokument größer, kleiner, in normaler Größe</translation>
    </message>
    <message>
        <source>Drop a folder to make a table over it, or a list of questions: CSV, Excel or a text.</source>
        <translation>Legen Sie einen Ordner ab, um eine Tabelle darüber anzulegen, oder eine Liste mit Fragen: CSV, Excel oder Text.</translation>
    </message>
    <message>
        <source>Single documents are opened on the page Ask.</source>
        <translation>Einzelne Dokumente werden auf der Seite „Fragen“ geöffnet.</translation>
    </message>
    <message>
        <source>{model} is used for Ask and tables now</source>
        <translation>{model} wird jetzt für „Fragen“ und Tabellen verwendet</translation>
    </message>
    <message>
        <source>No questions yet</source>
        <translation>Noch keine Fragen</translation>
    </message>
    <message>
        <source>Type one above, paste several, or load a list. Each becomes a column.</source>
        <translation>Geben Sie oben eine ein, fügen Sie mehrere ein oder laden Sie eine Liste. Jede wird zu einer Spalte.</translation>
    </message>
    <message>
        <source>Begin with four questions to try</source>
        <translation>Mit vier Fragen zum Ausprobieren beginnen</translation>
    </message>
    <message>
        <source>No documents yet</source>
        <translation>Noch keine Dokumente</translation>
    </message>
    <message>
        <source>The library’s files appear here as they are read.</source>
        <translation>Die Dateien der Bibliothek erscheinen hier, sobald sie gelesen sind.</translation>
    </message>
    <message>
        <source>Nothing of this kind</source>
        <translation>Nichts dieser Art</translation>
    </message>
    <message>
        <source>No cell of the table is like that now.</source>
        <translation>Keine Zelle der Tabelle ist derzeit so.</translation>
    </message>
    <message numerus="yes">
        <source>Remove the table “{name}” with its {n:,} answer for good? No document is touched.</source>
        <comment>Remove the table “{name}” with its {n:,} answers for good? No document is touched.</comment>
        <translation>
            <numerusform>Die Tabelle „{name}“ mit ihrer einen Antwort endgültig entfernen? Die Dokumente bleiben unverändert.</numerusform>
            <numerusform>Die Tabelle „{name}“ mit ihren {n:,} Antworten endgültig entfernen? Die Dokumente bleiben unverändert.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} answer opened</source>
        <comment>{n:,} answers opened</comment>
        <translation>
            <numerusform>{n:,} Antwort geöffnet</numerusform>
            <numerusform>{n:,} Antworten geöffnet</numerusform>
        </translation>
    </message>
    <message>
        <source>A folder for the table</source>
        <translation>Ein Ordner für die Tabelle</translation>
    </message>
    <message>
        <source>There is nothing to undo</source>
        <translation>Es gibt nichts rückgängig zu machen</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} cell read</source>
        <comment>{n:,} cells read</comment>
        <translation>
            <numerusform>{n:,} Zelle gelesen</numerusform>
            <numerusform>{n:,} Zellen gelesen</numerusform>
        </translation>
    </message>
    <message>
        <source>A row for each document of a folder, a column for each question, and in every cell the exact words that answer, with their page. It fills by itself, and only what is new or changed is read again.</source>
        <translation>Eine Zeile für jedes Dokument eines Ordners, eine Spalte für jede Frage und in jeder Zelle genau die Wörter der Antwort, mit ihrer Seite. Sie füllt sich von selbst, und nur Neues oder Geändertes wird neu gelesen.</translation>
    </message>
    <message>
        <source>A table that was exported as JSON Lines, or what a cluster has read</source>
        <translation>Eine als JSON Lines exportierte Tabelle oder was ein Cluster gelesen hat</translation>
    </message>
    <message>
        <source>Or drop a folder here. Spanlight reads PDF, Word, spreadsheets, slides, books, mails, web pages and text.</source>
        <translation>Oder legen Sie hier einen Ordner ab. Spanlight liest PDF, Word, Tabellen, Folien, Bücher, E-Mails, Webseiten und Text.</translation>
    </message>
    <message>
        <source>A table of answers</source>
        <translation>Eine Tabelle mit Antworten</translation>
    </message>
    <message>
        <source>Over which documents?</source>
        <translation>Über welche Dokumente?</translation>
    </message>
    <message>
        <source>A folder with its subfolders; nothing is copied</source>
        <translation>Ein Ordner mit seinen Unterordnern; nichts wird kopiert</translation>
    </message>
    <message numerus="yes">
        <source>Begin with your {n:,} question</source>
        <comment>Begin with your {n:,} questions</comment>
        <translation>
            <numerusform>Mit Ihrer {n:,} Frage beginnen</numerusform>
            <numerusform>Mit Ihren {n:,} Fragen beginnen</numerusform>
        </translation>
    </message>
    <message>
        <source>The open documents</source>
        <translation>Die offenen Dokumente</translation>
    </message>
    <message>
        <source>A table over {library}, {read}</source>
        <translation>Tabelle über {library}, {read}</translation>
    </message>
    <message>
        <source>This takes some minutes, behind all other work. The reader in use is not changed.</source>
        <translation>Das dauert einige Minuten; alle andere Arbeit geht vor. Das verwendete Lesemodell bleibt unverändert.</translation>
    </message>
    <message>
        <source>You can keep working as usual. What is learnt is kept, even if you close Spanlight.</source>
        <translation>Sie können wie gewohnt weiterarbeiten. Gelerntes bleibt erhalten, auch wenn Sie Spanlight schließen.</translation>
    </message>
    <message>
        <source>Discard…</source>
        <translation>Verwerfen…</translation>
    </message>
    <message>
        <source>Delete what was learnt</source>
        <translation>Das Gelernte löschen</translation>
    </message>
    <message>
        <source>Stop and discard…</source>
        <translation>Stoppen und verwerfen…</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>No reader is installed</source>
        <translation>Kein Lesemodell installiert</translation>
    </message>
    <message>
        <source>Reader in use</source>
        <translation>Verwendetes Lesemodell</translation>
    </message>
    <message>
        <source>Reader being taught</source>
        <translation>Lesemodell wird angelernt</translation>
    </message>
    <message>
        <source>Go on teaching</source>
        <translation>Weiter anlernen</translation>
    </message>
    <message numerus="yes">
        <source>Teach the reader from {n:,} correction</source>
        <comment>Teach the reader from {n:,} corrections</comment>
        <translation>
            <numerusform>Lesemodell mit {n:,} Korrektur anlernen</numerusform>
            <numerusform>Lesemodell mit {n:,} Korrekturen anlernen</numerusform>
        </translation>
    </message>
    <message>
        <source>It takes at least {fewest} corrections: {lacking} more.</source>
        <translation>Dafür braucht es mindestens {fewest} Korrekturen: noch {lacking}.</translation>
    </message>
    <message>
        <source>Discard what was learnt so far?</source>
        <translation>Das bisher Gelernte verwerfen?</translation>
    </message>
    <message numerus="yes">
        <source>Begun {day} with {n:,} correction.</source>
        <comment>Begun {day} with {n:,} corrections.</comment>
        <translation>
            <numerusform>Begonnen {day} mit {n:,} Korrektur.</numerusform>
            <numerusform>Begonnen {day} mit {n:,} Korrekturen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Begun on {day} with {n:,} correction.</source>
        <comment>Begun on {day} with {n:,} corrections.</comment>
        <translation>
            <numerusform>Begonnen am {day} mit {n:,} Korrektur.</numerusform>
            <numerusform>Begonnen am {day} mit {n:,} Korrekturen.</numerusform>
        </translation>
    </message>
    <message>
        <source>Step {step:,} of {steps:,} is kept.</source>
        <translation>Schritt {step:,} von {steps:,} ist gespeichert.</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>Vorher</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>Jetzt</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>Verwenden</translation>
    </message>
    <message>
        <source>Keep the old one</source>
        <translation>Bisheriges behalten</translation>
    </message>
    <message>
        <source>The new reader is better</source>
        <translation>Das neue Lesemodell ist besser</translation>
    </message>
    <message>
        <source>The new reader is not better</source>
        <translation>Das neue Lesemodell ist nicht besser</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} correction, exactly right</source>
        <comment>{n:,} corrections, exactly right</comment>
        <translation>
            <numerusform>{n:,} Korrektur, exakt richtig</numerusform>
            <numerusform>{n:,} Korrekturen, exakt richtig</numerusform>
        </translation>
    </message>
    <message>
        <source>Corrections that it has not learnt from, with exactly the right words</source>
        <translation>Korrekturen, aus denen es nicht gelernt hat, mit exakt den richtigen Wörtern</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} correction, F1</source>
        <comment>{n:,} corrections, F1</comment>
        <translation>
            <numerusform>{n:,} Korrektur, F1</numerusform>
            <numerusform>{n:,} Korrekturen, F1</numerusform>
        </translation>
    </message>
    <message>
        <source>{number:.1f}%</source>
        <translation>{number:.1f}&#xa0;%</translation>
    </message>
    <message>
        <source>How much its words share with the right ones</source>
        <translation>Wie weit seine Wörter mit den richtigen übereinstimmen</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} other, F1</source>
        <comment>{n:,} others, F1</comment>
        <translation>
            <numerusform>{n:,} andere, F1</numerusform>
            <numerusform>{n:,} andere, F1</numerusform>
        </translation>
    </message>
    <message>
        <source>Questions like those that the reader was made from</source>
        <translation>Fragen wie die, aus denen das Lesemodell entstand</translation>
    </message>
    <message>
        <source>Its probabilities, off by</source>
        <translation>Abweichung der Wahrscheinlichkeiten</translation>
    </message>
    <message>
        <source>Expected calibration error on those questions</source>
        <translation>Erwarteter Kalibrierungsfehler bei diesen Fragen</translation>
    </message>
    <message>
        <source>{name}: {before} before, {after} now</source>
        <translation>{name}: vorher {before}, jetzt {after}</translation>
    </message>
    <message numerus="yes">
        <source>On {n:,} correction that it has not learnt, its words fit better: F1 rose by {points}.</source>
        <comment>On {n:,} corrections that it has not learnt, its words fit better: F1 rose by {points}.</comment>
        <translation>
            <numerusform>Bei einer nicht gelernten Korrektur passen seine Wörter besser: F1 stieg um {points}.</numerusform>
            <numerusform>Bei {n:,} nicht gelernten Korrekturen passen seine Wörter besser: F1 stieg um {points}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>On {n:,} correction that it has not learnt, its words fit worse: F1 fell by {points}.</source>
        <comment>On {n:,} corrections that it has not learnt, its words fit worse: F1 fell by {points}.</comment>
        <translation>
            <numerusform>Bei einer nicht gelernten Korrektur passen seine Wörter schlechter: F1 fiel um {points}.</numerusform>
            <numerusform>Bei {n:,} nicht gelernten Korrekturen passen seine Wörter schlechter: F1 fiel um {points}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>On {n:,} correction that it has not learnt, its words fit as well as before.</source>
        <comment>On {n:,} corrections that it has not learnt, its words fit as well as before.</comment>
        <translation>
            <numerusform>Bei einer nicht gelernten Korrektur passen seine Wörter so gut wie zuvor.</numerusform>
            <numerusform>Bei {n:,} nicht gelernten Korrekturen passen seine Wörter so gut wie zuvor.</numerusform>
        </translation>
    </message>
    <message>
        <source>Of what it knew before it lost {points}, which is too much.</source>
        <translation>Von seinem früheren Wissen verlor es {points}, und das ist zu viel.</translation>
    </message>
    <message>
        <source>Of what it knew before it lost {points}.</source>
        <translation>Von seinem früheren Wissen verlor es {points}.</translation>
    </message>
    <message>
        <source>It still knows what it knew before.</source>
        <translation>Es weiß noch, was es zuvor wusste.</translation>
    </message>
    <message>
        <source>With so few, chance decides much: more corrections tell more.</source>
        <translation>Bei so wenigen entscheidet viel der Zufall: Mehr Korrekturen sagen mehr.</translation>
    </message>
    <message numerus="yes">
        <source>{n} point</source>
        <comment>{n} points</comment>
        <translation>
            <numerusform>{n} Punkt</numerusform>
            <numerusform>{n} Punkte</numerusform>
        </translation>
    </message>
    <message>
        <source>{number:.1f} points</source>
        <translation>{number:.1f} Punkte</translation>
    </message>
    <message>
        <source>Versions of the reader</source>
        <translation>Versionen des Lesemodells</translation>
    </message>
    <message>
        <source>Copy it into a folder, which opens in transformers</source>
        <translation>In einen Ordner kopieren, der sich in transformers öffnen lässt</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>Löschen…</translation>
    </message>
    <message>
        <source>Delete this version  (Del)</source>
        <translation>Diese Version löschen  (Entf)</translation>
    </message>
    <message>
        <source>Delete it</source>
        <translation>Löschen</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} correction · F1 {before:.0f} → {after:.0f}%</source>
        <comment>{n:,} corrections · F1 {before:.0f} → {after:.0f}%</comment>
        <translation>
            <numerusform>{n:,} Korrektur · F1 {before:.0f} → {after:.0f}&#xa0;%</numerusform>
            <numerusform>{n:,} Korrekturen · F1 {before:.0f} → {after:.0f}&#xa0;%</numerusform>
        </translation>
    </message>
    <message>
        <source>In use</source>
        <translation>In Verwendung</translation>
    </message>
    <message>
        <source>As it was before teaching</source>
        <translation>Wie vor dem Anlernen</translation>
    </message>
    <message>
        <source>Comes with Spanlight</source>
        <translation>Gehört zu Spanlight</translation>
    </message>
    <message>
        <source>Delete “{name}” for good?</source>
        <translation>„{name}“ endgültig löschen?</translation>
    </message>
    <message>
        <source>The reader was right</source>
        <translation>Das Lesemodell hatte recht</translation>
    </message>
    <message>
        <source>The reader said, with low confidence, “{words}”</source>
        <translation>Das Lesemodell sagte mit geringer Sicherheit „{words}“</translation>
    </message>
    <message>
        <source>The reader gave no answer</source>
        <translation>Das Lesemodell gab keine Antwort</translation>
    </message>
    <message>
        <source>The reader said “{words}”</source>
        <translation>Das Lesemodell sagte „{words}“</translation>
    </message>
    <message>
        <source>Corrections</source>
        <translation>Korrekturen</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Verlust (Loss)</translation>
    </message>
    <message>
        <source>F1 on held-out corrections</source>
        <translation>F1 auf zurückgehaltenen Korrekturen</translation>
    </message>
    <message>
        <source>Curves of teaching</source>
        <translation>Kurven des Anlernens</translation>
    </message>
    <message>
        <source>Step {step:,} of {steps:,}: loss {loss}</source>
        <translation>Schritt {step:,} von {steps:,}: Verlust {loss}</translation>
    </message>
    <message>
        <source>Step {step:,} of {steps:,}: loss {loss}, F1 {f1:.1f}%</source>
        <translation>Schritt {step:,} von {steps:,}: Verlust {loss}, F1 {f1:.1f}&#xa0;%</translation>
    </message>
    <message>
        <source>Step {step:,} of {steps:,}</source>
        <translation>Schritt {step:,} von {steps:,}</translation>
    </message>
    <message>
        <source>{number:,} labelled</source>
        <translation>{number:,} gelabelt</translation>
    </message>
    <message>
        <source>guessed {percent}</source>
        <translation>vermutet {percent}</translation>
    </message>
    <message>
        <source>Text to label</source>
        <translation>Text zum Labeln</translation>
    </message>
    <message>
        <source>In the table’s order</source>
        <translation>In der Reihenfolge der Tabelle</translation>
    </message>
    <message>
        <source>Otherwise the most useful text comes next: unsure, and unlike those labelled</source>
        <translation>Sonst kommt als Nächstes der nützlichste Text: unsicher und anders als die gelabelten</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>Überspringen</translation>
    </message>
    <message>
        <source>Another text first  (Space)</source>
        <translation>Zuerst ein anderer Text  (Leertaste)</translation>
    </message>
    <message>
        <source>Take the last label back  (U, Ctrl+Z)</source>
        <translation>Das letzte Label zurücknehmen  (U, Strg+Z)</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>Do it again  (Ctrl+Y)</source>
        <translation>Noch einmal ausführen  (Strg+Y)</translation>
    </message>
    <message>
        <source>None of them applies  (0)</source>
        <translation>Keines davon trifft zu  (0)</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>Give the chosen labels  (Enter)</source>
        <translation>Die ausgewählten Labels vergeben  (Enter)</translation>
    </message>
    <message>
        <source>Text {number:,}</source>
        <translation>Text {number:,}</translation>
    </message>
    <message>
        <source>Which label fits?</source>
        <translation>Welches Label passt?</translation>
    </message>
    <message>
        <source>The classifier was taught, but measuring it was stopped.</source>
        <translation>Der Klassifikator wurde angelernt, seine Messung aber gestoppt.</translation>
    </message>
    <message>
        <source>Parts of your texts are held out in turn, and predicted by a classifier that has not seen them.</source>
        <translation>Teile Ihrer Texte werden reihum zurückgehalten und von einem Klassifikator vorhergesagt, der sie nicht gesehen hat.</translation>
    </message>
    <message>
        <source>Once every label has {enough} examples a classifier is taught, and measured on texts that it has not seen.</source>
        <translation>Sobald jedes Label {enough} Beispiele hat, wird ein Klassifikator angelernt und an Texten gemessen, die er nicht gesehen hat.</translation>
    </message>
    <message>
        <source>Figures of each label</source>
        <translation>Werte je Label</translation>
    </message>
    <message>
        <source>Given and predicted labels</source>
        <translation>Vergebene und vorhergesagte Labels</translation>
    </message>
    <message>
        <source>Labels that the classifier doubts</source>
        <translation>Labels, an denen der Klassifikator zweifelt</translation>
    </message>
    <message>
        <source>Measure it</source>
        <translation>Messen</translation>
    </message>
    <message>
        <source>Measure the classifier on texts held out</source>
        <translation>Den Klassifikator an zurückgehaltenen Texten messen</translation>
    </message>
    <message>
        <source>Each label</source>
        <translation>Je Label</translation>
    </message>
    <message>
        <source>Given and predicted</source>
        <translation>Vergeben und vorhergesagt</translation>
    </message>
    <message>
        <source>A row for each label of yours; a double click shows its texts.</source>
        <translation>Eine Zeile für jedes Ihrer Labels; ein Doppelklick zeigt die Texte.</translation>
    </message>
    <message>
        <source>Perhaps mislabelled</source>
        <translation>Vielleicht falsch gelabelt</translation>
    </message>
    <message>
        <source>Texts whose label the classifier doubts, without having learnt it.</source>
        <translation>Texte, an deren Label der Klassifikator zweifelt, ohne es gelernt zu haben.</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} text labelled in two ways</source>
        <comment>{n:,} texts labelled in two ways</comment>
        <translation>
            <numerusform>{n:,} Text auf zweierlei Art gelabelt</numerusform>
            <numerusform>{n:,} Texte auf zweierlei Art gelabelt</numerusform>
        </translation>
    </message>
    <message>
        <source>Being measured</source>
        <translation>Wird gemessen</translation>
    </message>
    <message>
        <source>Not measured yet</source>
        <translation>Noch nicht gemessen</translation>
    </message>
    <message>
        <source>{percent} right</source>
        <translation>{percent} richtig</translation>
    </message>
    <message>
        <source>Labelled {label}</source>
        <translation>Gelabelt als {label}</translation>
    </message>
    <message>
        <source>{label}, predicted {predicted}</source>
        <translation>{label}, vorhergesagt: {predicted}</translation>
    </message>
    <message>
        <source>Labelled in two ways</source>
        <translation>Auf zweierlei Art gelabelt</translation>
    </message>
    <message>
        <source>Texts</source>
        <translation>Texte</translation>
    </message>
    <message>
        <source>Found</source>
        <translation>Gefunden</translation>
    </message>
    <message>
        <source>{low} to {high}</source>
        <translation>{low} bis {high}</translation>
    </message>
    <message>
        <source>Of the texts with this label, how many were given it (recall)</source>
        <translation>Wie viele der Texte mit diesem Label es erhielten (Recall)</translation>
    </message>
    <message>
        <source>Of the texts that were given this label, how many have it (precision)</source>
        <translation>Wie viele der Texte, die dieses Label erhielten, es wirklich haben (Precision)</translation>
    </message>
    <message>
        <source>{number:.2f}</source>
        <translation>{number:.2f}</translation>
    </message>
    <message>
        <source>Your label</source>
        <translation>Ihr Label</translation>
    </message>
    <message>
        <source>Rather</source>
        <translation>Eher</translation>
    </message>
    <message>
        <source>Sure</source>
        <translation>Sicher</translation>
    </message>
    <message numerus="yes">
        <source>Between {low} and {high} with 95% confidence: {n:,} text of yours, each predicted by a classifier that had not seen it.</source>
        <comment>Between {low} and {high} with 95% confidence: {n:,} texts of yours, each predicted by a classifier that had not seen it.</comment>
        <translation>
            <numerusform>Zwischen {low} und {high} mit 95&#xa0;% Konfidenz: {n:,} Text von Ihnen, vorhergesagt von einem Klassifikator, der ihn nicht gesehen hatte.</numerusform>
            <numerusform>Zwischen {low} und {high} mit 95&#xa0;% Konfidenz: {n:,} Texte von Ihnen, jeder von einem Klassifikator vorhergesagt, der ihn nicht gesehen hatte.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{more} more examples would bring about {n} point.</source>
        <comment>{more} more examples would bring about {n} points.</comment>
        <translation>
            <numerusform>{more} weitere Beispiele brächten etwa {n} Punkt.</numerusform>
            <numerusform>{more} weitere Beispiele brächten etwa {n} Punkte.</numerusform>
        </translation>
    </message>
    <message>
        <source>You gave the guessed label {same:,} of {all:,} times (unsure texts come first).</source>
        <translation>Sie vergaben {same:,} von {all:,} Mal das vermutete Label (unsichere Texte kommen zuerst).</translation>
    </message>
    <message>
        <source>You gave the guessed label {same:,} of {all:,} times (unsure texts come first), and {same_hidden:,} of {all_hidden:,} times where the guess was hidden.</source>
        <translation>Sie vergaben {same:,} von {all:,} Mal das vermutete Label (unsichere Texte kommen zuerst) und {same_hidden:,} von {all_hidden:,} Mal, wo die Vermutung verborgen war.</translation>
    </message>
    <message>
        <source>Labels…</source>
        <translation>Labels…</translation>
    </message>
    <message>
        <source>Use it on the page Classify</source>
        <translation>Auf der Seite „Klassifizieren“ verwenden</translation>
    </message>
    <message>
        <source>Teach</source>
        <translation>Anlernen</translation>
    </message>
    <message>
        <source>Teach a classifier from what is labelled</source>
        <translation>Einen Klassifikator mit den gelabelten Texten anlernen</translation>
    </message>
    <message>
        <source>All texts</source>
        <translation>Alle Texte</translation>
    </message>
    <message>
        <source>How good is it?</source>
        <translation>Wie gut?</translation>
    </message>
    <message>
        <source>Labelling</source>
        <translation>Labeln</translation>
    </message>
    <message>
        <source>Labels: {name}</source>
        <translation>Labels: {name}</translation>
    </message>
    <message>
        <source>none of them</source>
        <translation>keines davon</translation>
    </message>
    <message>
        <source>Tables (*.csv *.tsv *.xlsx *.jsonl *.xz *.txt);;All files (*)</source>
        <translation>Tabellen (*.csv *.tsv *.xlsx *.jsonl *.xz *.txt);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Labels</source>
        <translation>Labels</translation>
    </message>
    <message>
        <source>Give the text, or the chosen ones, this label</source>
        <translation>Dem Text oder den ausgewählten dieses Label geben</translation>
    </message>
    <message>
        <source>Another text first</source>
        <translation>Zuerst ein anderer Text</translation>
    </message>
    <message>
        <source>Take the last label back</source>
        <translation>Das letzte Label zurücknehmen</translation>
    </message>
    <message>
        <source>Give it again</source>
        <translation>Wieder vergeben</translation>
    </message>
    <message>
        <source>Take the label of the text back</source>
        <translation>Das Label des Textes zurücknehmen</translation>
    </message>
    <message>
        <source>Several labels: give the chosen ones; in the table: open the text</source>
        <translation>Mehrere Labels: die ausgewählten vergeben; in der Tabelle: den Text öffnen</translation>
    </message>
    <message>
        <source>Search the texts</source>
        <translation>Texte durchsuchen</translation>
    </message>
    <message>
        <source>Open a table</source>
        <translation>Tabelle öffnen</translation>
    </message>
    <message>
        <source>Stop teaching</source>
        <translation>Anlernen stoppen</translation>
    </message>
    <message>
        <source>Save the labels</source>
        <translation>Labels speichern</translation>
    </message>
    <message>
        <source>Go back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Open a table of texts</source>
        <translation>Tabelle mit Texten öffnen</translation>
    </message>
    <message numerus="yes">
        <source>This takes a label from {n:,} text.</source>
        <comment>This takes a label from {n:,} texts.</comment>
        <translation>
            <numerusform>Das nimmt einem Text ein Label weg.</numerusform>
            <numerusform>Das nimmt {n:,} Texten ein Label weg.</numerusform>
        </translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>The page Classify now uses {model}</source>
        <translation>Die Seite „Klassifizieren“ verwendet jetzt {model}</translation>
    </message>
    <message numerus="yes">
        <source>Remove “{name}” with {n:,} label of yours? Its classifier stays.</source>
        <comment>Remove “{name}” with {n:,} labels of yours? Its classifier stays.</comment>
        <translation>
            <numerusform>„{name}“ mit {n:,} Label von Ihnen entfernen? Der Klassifikator bleibt.</numerusform>
            <numerusform>„{name}“ mit {n:,} Labels von Ihnen entfernen? Der Klassifikator bleibt.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} text labelled {label}; Ctrl+Z takes it back</source>
        <comment>{n:,} texts labelled {label}; Ctrl+Z takes it back</comment>
        <translation>
            <numerusform>{n:,} Text als {label} gelabelt; Strg+Z nimmt es zurück</numerusform>
            <numerusform>{n:,} Texte als {label} gelabelt; Strg+Z nimmt es zurück</numerusform>
        </translation>
    </message>
    <message>
        <source>There is nothing to redo</source>
        <translation>Es gibt nichts zu wiederholen</translation>
    </message>
    <message>
        <source>The guess is hidden for this text, to see whether guesses lead you.</source>
        <translation>Bei diesem Text ist die Vermutung verborgen, um zu sehen, ob Vermutungen Sie beeinflussen.</translation>
    </message>
    <message>
        <source>The bars are a first guess by the labels’ words alone. Label {enough} texts of each, and a classifier is taught.</source>
        <translation>Die Balken zeigen eine erste Vermutung allein anhand der Wörter der Labels. Sobald jedes Label {enough} Texte hat, wird ein Klassifikator angelernt.</translation>
    </message>
    <message>
        <source>Still needed before a classifier is taught: {labels}.</source>
        <translation>Bis ein Klassifikator angelernt wird, fehlen noch: {labels}.</translation>
    </message>
    <message>
        <source>Still needed before a classifier is taught: {labels} and {more} more.</source>
        <translation>Bis ein Klassifikator angelernt wird, fehlen noch: {labels} und {more} weitere.</translation>
    </message>
    <message>
        <source>The bars are the classifier’s guess. It is taught again as you go on.</source>
        <translation>Die Balken zeigen die Vermutung des Klassifikators. Er wird neu angelernt, während Sie weitermachen.</translation>
    </message>
    <message>
        <source>The classifier is being taught; go on labelling.</source>
        <translation>Der Klassifikator wird angelernt; labeln Sie weiter.</translation>
    </message>
    <message numerus="yes">
        <source>{given:,} of {n:,} text labelled</source>
        <comment>{given:,} of {n:,} texts labelled</comment>
        <translation>
            <numerusform>{given:,} von {n:,} Text gelabelt</numerusform>
            <numerusform>{given:,} von {n:,} Texten gelabelt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>A classifier was taught from {n:,} text</source>
        <comment>A classifier was taught from {n:,} texts</comment>
        <translation>
            <numerusform>Ein Klassifikator wurde mit {n:,} Text angelernt</numerusform>
            <numerusform>Ein Klassifikator wurde mit {n:,} Texten angelernt</numerusform>
        </translation>
    </message>
    <message>
        <source>Export the labels</source>
        <translation>Labels exportieren</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} row exported</source>
        <comment>{n:,} rows exported</comment>
        <translation>
            <numerusform>{n:,} Zeile exportiert</numerusform>
            <numerusform>{n:,} Zeilen exportiert</numerusform>
        </translation>
    </message>
    <message>
        <source>Below an answer, or beside a table’s cell, press A if it is right, E to take the words that you selected instead, or X if the text does not answer. That is kept on this computer only, and the reader can learn from it.</source>
        <translation>Drücken Sie unter einer Antwort oder neben einer Tabellenzelle A, wenn sie richtig ist, E, um stattdessen die von Ihnen ausgewählten Wörter zu nehmen, oder X, wenn der Text nicht antwortet. Das bleibt nur auf diesem Computer, und das Lesemodell kann daraus lernen.</translation>
    </message>
    <message>
        <source>Reader</source>
        <translation>Lesemodell</translation>
    </message>
    <message>
        <source>Search the corrections</source>
        <translation>Korrekturen durchsuchen</translation>
    </message>
    <message>
        <source>Open its document there</source>
        <translation>Das Dokument an dieser Stelle öffnen</translation>
    </message>
    <message>
        <source>Delete the correction, or the version after asking</source>
        <translation>Die Korrektur löschen, oder nach Rückfrage die Version</translation>
    </message>
    <message>
        <source>Copy the question with the right words</source>
        <translation>Die Frage mit den richtigen Wörtern kopieren</translation>
    </message>
    <message>
        <source>Pause teaching</source>
        <translation>Anlernen pausieren</translation>
    </message>
    <message>
        <source>Open the document</source>
        <translation>Dokument öffnen</translation>
    </message>
    <message>
        <source>Enter, or a double click</source>
        <translation>Eingabetaste oder Doppelklick</translation>
    </message>
    <message>
        <source>Delete it  (Del)</source>
        <translation>Löschen  (Entf)</translation>
    </message>
    <message>
        <source>Write those listed as SQuAD 2.0</source>
        <translation>Die aufgelisteten als SQuAD 2.0 schreiben</translation>
    </message>
    <message>
        <source>{shown:,} of {whole:,}</source>
        <translation>{shown:,} von {whole:,}</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} correction</source>
        <comment>{n:,} corrections</comment>
        <translation>
            <numerusform>{n:,} Korrektur</numerusform>
            <numerusform>{n:,} Korrekturen</numerusform>
        </translation>
    </message>
    <message>
        <source>No correction has “{words}”.</source>
        <translation>Keine Korrektur enthält „{words}“.</translation>
    </message>
    <message>
        <source>No corrections yet</source>
        <translation>Noch keine Korrekturen</translation>
    </message>
    <message>
        <source>To the page Ask  (Ctrl+1)</source>
        <translation>Zur Seite „Fragen“  (Strg+1)</translation>
    </message>
    <message>
        <source>Export the corrections</source>
        <translation>Korrekturen exportieren</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} correction exported</source>
        <comment>{n:,} corrections exported</comment>
        <translation>
            <numerusform>{n:,} Korrektur exportiert</numerusform>
            <numerusform>{n:,} Korrekturen exportiert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The reader was taught from {n:,} correction: it is better</source>
        <comment>The reader was taught from {n:,} corrections: it is better</comment>
        <translation>
            <numerusform>Lesemodell mit {n:,} Korrektur angelernt: Es ist besser</numerusform>
            <numerusform>Lesemodell mit {n:,} Korrekturen angelernt: Es ist besser</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The reader was taught from {n:,} correction: it is not better</source>
        <comment>The reader was taught from {n:,} corrections: it is not better</comment>
        <translation>
            <numerusform>Lesemodell mit {n:,} Korrektur angelernt: Es ist nicht besser</numerusform>
            <numerusform>Lesemodell mit {n:,} Korrekturen angelernt: Es ist nicht besser</numerusform>
        </translation>
    </message>
    <message>
        <source>Another reader answers questions from now on</source>
        <translation>Ab jetzt beantwortet ein anderes Lesemodell die Fragen</translation>
    </message>
    <message>
        <source>Export into a new folder there</source>
        <translation>Dort in einen neuen Ordner exportieren</translation>
    </message>
    <message>
        <source>Exported</source>
        <translation>Exportiert</translation>
    </message>
    <message>
        <source>A line for each. A colon and a few words make the first guesses better: “Delivery: the parcel, the courier, when it came”.</source>
        <translation>Eine Zeile je Label. Ein Doppelpunkt und ein paar Wörter verbessern die ersten Vermutungen: „Lieferung: das Paket, der Kurier, wann es kam“.</translation>
    </message>
    <message>
        <source>Several may apply to one text, or none</source>
        <translation>Auf einen Text können mehrere zutreffen oder keines</translation>
    </message>
    <message>
        <source>Begin</source>
        <translation>Beginnen</translation>
    </message>
    <message>
        <source>Texts in</source>
        <translation>Texte in</translation>
    </message>
    <message>
        <source>Labels in</source>
        <translation>Labels in</translation>
    </message>
    <message>
        <source>Begin with</source>
        <translation>Beginnen mit</translation>
    </message>
    <message>
        <source>Column of the texts</source>
        <translation>Spalte der Texte</translation>
    </message>
    <message>
        <source>Column of labels</source>
        <translation>Spalte der Labels</translation>
    </message>
    <message>
        <source>Labels, one a line</source>
        <translation>Labels, eines pro Zeile</translation>
    </message>
    <message>
        <source>Which labels?</source>
        <translation>Welche Labels?</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} text of {file}.</source>
        <comment>{n:,} texts of {file}.</comment>
        <translation>
            <numerusform>{n:,} Text aus {file}.</numerusform>
            <numerusform>{n:,} Texte aus {file}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} text.</source>
        <comment>{n:,} texts.</comment>
        <translation>
            <numerusform>{n:,} Text.</numerusform>
            <numerusform>{n:,} Texte.</numerusform>
        </translation>
    </message>
    <message>
        <source>The table is copied into Spanlight; the file stays as it is.</source>
        <translation>Die Tabelle wird in Spanlight kopiert; die Datei bleibt, wie sie ist.</translation>
    </message>
    <message>
        <source>None: I label them here</source>
        <translation>Keine: Ich vergebe sie hier</translation>
    </message>
    <message>
        <source>Labels of my own</source>
        <translation>Eigene Labels</translation>
    </message>
    <message>
        <source>The labels of {name}</source>
        <translation>Die Labels von {name}</translation>
    </message>
    <message>
        <source>A label that is renamed keeps its texts; one that is taken out leaves them without it.</source>
        <translation>Ein umbenanntes Label behält seine Texte; ein entferntes lässt sie ohne Label zurück.</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} label: {labels}</source>
        <comment>{n:,} labels: {labels}</comment>
        <translation>
            <numerusform>{n:,} Label: {labels}</numerusform>
            <numerusform>{n:,} Labels: {labels}</numerusform>
        </translation>
    </message>
    <message>
        <source>Those of the column; add others or descriptions here</source>
        <translation>Die der Spalte; weitere oder Beschreibungen hier ergänzen</translation>
    </message>
    <message>
        <source>Complaint
Praise
Question</source>
        <translation>Beschwerde
Lob
Frage</translation>
    </message>
    <message>
        <source>Getting ready to measure</source>
        <translation>Die Messung wird vorbereitet</translation>
    </message>
    <message>
        <source>Teaching goes on</source>
        <translation>Das Anlernen geht weiter</translation>
    </message>
    <message>
        <source>Labels, or the reader</source>
        <translation>Labels oder Lesemodell</translation>
    </message>
    <message>
        <source>Teaching goes on after other work</source>
        <translation>Das Anlernen geht nach anderer Arbeit weiter</translation>
    </message>
    <message>
        <source>Keeping what was learnt</source>
        <translation>Gelerntes wird gespeichert</translation>
    </message>
    <message>
        <source>Discarding what was learnt</source>
        <translation>Gelerntes wird verworfen</translation>
    </message>
    <message>
        <source>Guess</source>
        <translation>Vermutung</translation>
    </message>
    <message>
        <source>No.</source>
        <translation>Nr.</translation>
    </message>
    <message>
        <source>Which texts</source>
        <translation>Welche Texte</translation>
    </message>
    <message>
        <source>Texts of each label</source>
        <translation>Texte je Label</translation>
    </message>
    <message>
        <source>1 to 9 label the chosen texts, Delete takes labels back, Enter opens one.</source>
        <translation>1 bis 9 labeln die ausgewählten Texte, Entf nimmt Labels zurück, die Eingabetaste öffnet einen.</translation>
    </message>
    <message>
        <source>Not labelled</source>
        <translation>Nicht gelabelt</translation>
    </message>
    <message>
        <source>Labelled by me</source>
        <translation>Von mir gelabelt</translation>
    </message>
    <message>
        <source>Unsure</source>
        <translation>Unsicher</translation>
    </message>
    <message>
        <source>Open a table with a text in each row: answers of a survey, messages, reviews. Name the labels that you want, label some texts, and a classifier learns them on this computer, in a minute or so. It then labels all the others, and shows how often it is right.</source>
        <translation>Öffnen Sie eine Tabelle mit einem Text in jeder Zeile: Antworten einer Umfrage, Nachrichten, Rezensionen. Benennen Sie die gewünschten Labels, labeln Sie einige Texte, und ein Klassifikator lernt sie auf diesem Computer, in etwa einer Minute. Danach labelt er alle anderen und zeigt, wie oft er richtigliegt.</translation>
    </message>
    <message>
        <source>Open a table…</source>
        <translation>Tabelle öffnen…</translation>
    </message>
    <message>
        <source>CSV, Excel or JSON Lines  (Ctrl+O)</source>
        <translation>CSV, Excel oder JSON Lines  (Strg+O)</translation>
    </message>
    <message>
        <source>Paste texts</source>
        <translation>Texte einfügen</translation>
    </message>
    <message>
        <source>Each line of the clipboard is a text</source>
        <translation>Jede Zeile der Zwischenablage ist ein Text</translation>
    </message>
    <message>
        <source>Or try it with some reviews</source>
        <translation>Oder mit einigen Rezensionen ausprobieren</translation>
    </message>
    <message>
        <source>Short reviews that come along</source>
        <translation>Kurze Rezensionen, die mitgeliefert werden</translation>
    </message>
    <message>
        <source>Labels of your own</source>
        <translation>Eigene Labels</translation>
    </message>
    <message>
        <source>Or drop a table here: CSV, TSV, Excel, JSON Lines, or a text with a line for each.</source>
        <translation>Oder legen Sie hier eine Tabelle ab: CSV, TSV, Excel, JSON Lines oder eine Textdatei mit einem Text pro Zeile.</translation>
    </message>
    <message>
        <source>Lab</source>
        <translation>Labor</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>Loading the reader…</source>
        <translation>Lesemodell wird geladen…</translation>
    </message>
    <message>
        <source>Loading the reader again…</source>
        <translation>Lesemodell wird wieder geladen…</translation>
    </message>
    <message numerus="yes">
        <source>Put away after {n:,} minute; the next question loads it again</source>
        <comment>Put away after {n:,} minutes; the next question loads it again</comment>
        <translation>
            <numerusform>Nach {n:,} Minute entladen; die nächste Frage lädt es wieder</numerusform>
            <numerusform>Nach {n:,} Minuten entladen; die nächste Frage lädt es wieder</numerusform>
        </translation>
    </message>
    <message>
        <source>Put away; the next question loads it again</source>
        <translation>Entladen; die nächste Frage lädt es wieder</translation>
    </message>
    <message>
        <source>The models have left the memory. Nothing that you typed or asked is lost.</source>
        <translation>Die Modelle wurden aus dem Speicher entladen. Nichts, was Sie eingegeben oder gefragt haben, ist verloren.</translation>
    </message>
    <message>
        <source>the loading of the reader</source>
        <translation>das Laden des Lesemodells</translation>
    </message>
    <message>
        <source>Reader ready, on {device}</source>
        <translation>Lesemodell bereit ({device})</translation>
    </message>
    <message>
        <source>This sheet</source>
        <translation>Diese Übersicht</translation>
    </message>
    <message>
        <source>Everywhere</source>
        <translation>Überall</translation>
    </message>
    <message>
        <source>Keyboard</source>
        <translation>Tastatur</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Keys and what they do</source>
        <translation>Tasten und ihre Wirkung</translation>
    </message>
    <message>
        <source>Network: only when asked</source>
        <translation>Netzwerk: nur auf Wunsch</translation>
    </message>
    <message>
        <source>Nothing is reached over the network: models cannot be looked up or downloaded.
Click to allow that, each time you ask for it.</source>
        <translation>Über das Netzwerk wird nichts abgerufen: Modelle lassen sich weder nachschlagen noch herunterladen.
Klicken Sie, um dies jeweils auf Wunsch zu erlauben.</translation>
    </message>
    <message>
        <source>The network is used only when you look up or download a model on the page Models, for nothing else.
Your texts never leave this computer. Click to go offline.</source>
        <translation>Das Netzwerk wird nur genutzt, wenn Sie auf der Seite „Modelle“ ein Modell nachschlagen oder herunterladen, für nichts sonst.
Ihre Texte verlassen diesen Computer nie. Klicken Sie, um offline zu gehen.</translation>
    </message>
    <message>
        <source>Offline switch: {state}</source>
        <translation>Offline-Schalter: {state}</translation>
    </message>
    <message>
        <source>Trying the new model</source>
        <translation>Das neue Modell wird ausprobiert</translation>
    </message>
    <message>
        <source>Downloading {number}%</source>
        <translation>Download {number}&#xa0;%</translation>
    </message>
    <message>
        <source>Downloading {size}</source>
        <translation>Download {size}</translation>
    </message>
    <message>
        <source>Pause the filling of the table</source>
        <translation>Pause: Füllen der Tabelle</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>Read them</source>
        <translation>Lesen</translation>
    </message>
    <message numerus="yes">
        <source>“{library}” has {n:,} new document, {size}. Read all of them?</source>
        <comment>“{library}” has {n:,} new documents, {size}. Read all of them?</comment>
        <translation>
            <numerusform>„{library}“ hat {n:,} neues Dokument, {size}. Lesen?</numerusform>
            <numerusform>„{library}“ hat {n:,} neue Dokumente, {size}. Alle lesen?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>“{library}” has {n:,} document, {size}. Read all of them?</source>
        <comment>“{library}” has {n:,} documents, {size}. Read all of them?</comment>
        <translation>
            <numerusform>„{library}“ hat {n:,} Dokument, {size}. Lesen?</numerusform>
            <numerusform>„{library}“ hat {n:,} Dokumente, {size}. Alle lesen?</numerusform>
        </translation>
    </message>
    <message>
        <source>Indexing {library} anew</source>
        <translation>{library} wird neu indexiert</translation>
    </message>
    <message>
        <source>Reading {library}</source>
        <translation>{library} wird gelesen</translation>
    </message>
    <message>
        <source>mail {number:,}</source>
        <translation>E-Mail {number:,}</translation>
    </message>
    <message>
        <source>A mail is encrypted: only its head can be read.</source>
        <translation>Eine E-Mail ist verschlüsselt: Nur ihr Kopf kann gelesen werden.</translation>
    </message>
    <message>
        <source>Attachments beyond {files:,} files or {size} are listed and not read.</source>
        <translation>Anhänge über {files:,} Dateien oder {size} hinaus werden nur aufgeführt, nicht gelesen.</translation>
    </message>
    <message>
        <source>{name}: {note}</source>
        <translation>{name}: {note}</translation>
    </message>
    <message>
        <source>The mail is too long: its beginning is shown.</source>
        <translation>Die E-Mail ist zu lang: Gezeigt wird ihr Anfang.</translation>
    </message>
    <message>
        <source>Reading the mailbox</source>
        <translation>Postfach wird gelesen</translation>
    </message>
    <message>
        <source>“{name}” holds no mail that can be read.</source>
        <translation>„{name}“ enthält keine lesbare E-Mail.</translation>
    </message>
    <message>
        <source>{shown:,} of {all:,} mails are shown.</source>
        <translation>Gezeigt: {shown:,} von {all:,} E-Mails.</translation>
    </message>
    <message>
        <source>Of very large mails the beginning is shown.</source>
        <translation>Von sehr großen E-Mails wird der Anfang gezeigt.</translation>
    </message>
    <message>
        <source>Reading the mail</source>
        <translation>E-Mail wird gelesen</translation>
    </message>
    <message>
        <source>“{name}” is damaged, or nested deeper than any mail, and was not opened.</source>
        <translation>„{name}“ ist beschädigt oder tiefer verschachtelt als jede E-Mail und wurde nicht geöffnet.</translation>
    </message>
    <message>
        <source>Open it in a mail program, and save the part that matters.</source>
        <translation>Öffnen Sie die Datei in einem E-Mail-Programm und speichern Sie den Teil, auf den es ankommt.</translation>
    </message>
    <message>
        <source>“{name}” is nested deeper than any document, and was not opened.</source>
        <translation>„{name}“ ist tiefer verschachtelt als jedes Dokument und wurde nicht geöffnet.</translation>
    </message>
    <message>
        <source>If you trust it, open it in the program that wrote it and save it as plain text.</source>
        <translation>Wenn Sie der Datei vertrauen, öffnen Sie sie in dem Programm, das sie erstellt hat, und speichern Sie sie als reinen Text.</translation>
    </message>
    <message>
        <source>It has too many cells for a table, so it is read as a text, line by line.</source>
        <translation>Die Datei hat zu viele Zellen für eine Tabelle und wird daher als Text gelesen, Zeile für Zeile.</translation>
    </message>
    <message>
        <source>Reading the table</source>
        <translation>Tabelle wird gelesen</translation>
    </message>
    <message>
        <source>“{name}” has more than {most:,} cells, too many for a document.</source>
        <translation>„{name}“ hat mehr als {most:,} Zellen, zu viele für ein Dokument.</translation>
    </message>
    <message>
        <source>Save the rows that matter as a file of their own, or the sheet as CSV, and open that.</source>
        <translation>Speichern Sie die Zeilen, auf die es ankommt, als eigene Datei oder das Tabellenblatt als CSV und öffnen Sie diese Datei.</translation>
    </message>
    <message>
        <source>Opening the spreadsheet</source>
        <translation>Tabellendatei wird geöffnet</translation>
    </message>
    <message>
        <source>Reading the sheets</source>
        <translation>Tabellenblätter werden gelesen</translation>
    </message>
    <message numerus="yes">
        <source>{n} hidden sheet is left out.</source>
        <comment>{n} hidden sheets are left out.</comment>
        <translation>
            <numerusform>{n} ausgeblendetes Tabellenblatt ist weggelassen.</numerusform>
            <numerusform>{n} ausgeblendete Tabellenblätter sind weggelassen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} damaged sheet is left out.</source>
        <comment>{n} damaged sheets are left out.</comment>
        <translation>
            <numerusform>{n} beschädigtes Tabellenblatt ist weggelassen.</numerusform>
            <numerusform>{n} beschädigte Tabellenblätter sind weggelassen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} formula has no stored value: open the file in a spreadsheet program and save it.</source>
        <comment>{n:,} formulas have no stored value: open the file in a spreadsheet program and save it.</comment>
        <translation>
            <numerusform>{n:,} Formel hat keinen gespeicherten Wert: Öffnen Sie die Datei in einer Tabellenkalkulation und speichern Sie sie.</numerusform>
            <numerusform>{n:,} Formeln haben keinen gespeicherten Wert: Öffnen Sie die Datei in einer Tabellenkalkulation und speichern Sie sie.</numerusform>
        </translation>
    </message>
    <message>
        <source>Outline</source>
        <translation>Gliederung</translation>
    </message>
    <message>
        <source>{title}, level {level}</source>
        <translation>{title}, Ebene {level}</translation>
    </message>
    <message>
        <source>{title}, level {level}, page {page:,}</source>
        <translation>{title}, Ebene {level}, Seite {page:,}</translation>
    </message>
    <message>
        <source>{title}  (page {page:,})</source>
        <translation>{title}  (Seite {page:,})</translation>
    </message>
    <message>
        <source>Place and size</source>
        <translation>Stelle und Größe</translation>
    </message>
    <message>
        <source>Outline  (Ctrl+Shift+O)</source>
        <translation>Gliederung  (Strg+Umschalt+O)</translation>
    </message>
    <message>
        <source>Find in the text  (Ctrl+F)</source>
        <translation>Im Text suchen  (Strg+F)</translation>
    </message>
    <message>
        <source>Size of the page</source>
        <translation>Größe der Seite</translation>
    </message>
    <message>
        <source>Page</source>
        <translation>Seite</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>Zeile</translation>
    </message>
    <message>
        <source>Go to a page  (Ctrl+G)</source>
        <translation>Zu einer Seite gehen  (Strg+G)</translation>
    </message>
    <message>
        <source>Go to a line  (Ctrl+G)</source>
        <translation>Zu einer Zeile gehen  (Strg+G)</translation>
    </message>
    <message>
        <source>{percent}%</source>
        <translation>{percent}&#xa0;%</translation>
    </message>
    <message>
        <source>Size of the page: {percent}%</source>
        <translation>Größe der Seite: {percent}&#xa0;%</translation>
    </message>
    <message>
        <source>({number:,} of {total:,})</source>
        <translation>({number:,} von {total:,})</translation>
    </message>
    <message>
        <source>of {total:,}</source>
        <translation>von {total:,}</translation>
    </message>
    <message>
        <source>No such page</source>
        <translation>Keine solche Seite</translation>
    </message>
    <message>
        <source>Slide</source>
        <translation>Folie</translation>
    </message>
    <message>
        <source>Go to a slide  (Ctrl+G)</source>
        <translation>Zu einer Folie gehen  (Strg+G)</translation>
    </message>
    <message>
        <source>No such slide</source>
        <translation>Diese Folie gibt es nicht</translation>
    </message>
    <message>
        <source>Sheet</source>
        <translation>Tabellenblatt</translation>
    </message>
    <message>
        <source>Go to a sheet  (Ctrl+G)</source>
        <translation>Zu einem Tabellenblatt gehen  (Strg+G)</translation>
    </message>
    <message>
        <source>No such sheet</source>
        <translation>Dieses Tabellenblatt gibt es nicht</translation>
    </message>
    <message>
        <source>Mail</source>
        <translation>E-Mail</translation>
    </message>
    <message>
        <source>Go to a mail  (Ctrl+G)</source>
        <translation>Zu einer E-Mail gehen  (Strg+G)</translation>
    </message>
    <message>
        <source>No such mail</source>
        <translation>Diese E-Mail gibt es nicht</translation>
    </message>
    <message>
        <source>No such line</source>
        <translation>Keine solche Zeile</translation>
    </message>
    <message>
        <source>Fit the width</source>
        <translation>Seitenbreite</translation>
    </message>
    <message>
        <source>Fit the page</source>
        <translation>Ganze Seite</translation>
    </message>
    <message>
        <source>Larger</source>
        <translation>Größer</translation>
    </message>
    <message>
        <source>Smaller</source>
        <translation>Kleiner</translation>
    </message>
    <message>
        <source>Text recognised, {language}, {percent} sure</source>
        <translation>Text erkannt, {language}, zu {percent} sicher</translation>
    </message>
    <message>
        <source>a JPEG that is compressed in a rare way</source>
        <translation>ein auf seltene Weise komprimiertes JPEG</translation>
    </message>
    <message>
        <source>an interlaced PNG</source>
        <translation>ein PNG mit Zeilensprung (interlaced)</translation>
    </message>
    <message>
        <source>a very large one that is partly transparent</source>
        <translation>ein sehr großes, das teilweise durchsichtig ist</translation>
    </message>
    <message>
        <source>a TIFF with its colours apart</source>
        <translation>ein TIFF mit getrennten Farbkanälen</translation>
    </message>
    <message>
        <source>a TIFF with unusual colours</source>
        <translation>ein TIFF mit ungewöhnlichen Farben</translation>
    </message>
    <message>
        <source>a TIFF with 16 bits a colour</source>
        <translation>ein TIFF mit 16 Bit je Farbe</translation>
    </message>
    <message>
        <source>a TIFF that is compressed in a rare way</source>
        <translation>ein auf seltene Weise komprimiertes TIFF</translation>
    </message>
    <message>
        <source>a very large TIFF</source>
        <translation>ein sehr großes TIFF</translation>
    </message>
    <message>
        <source>Recognising the text of pages</source>
        <translation>Text der Seiten wird erkannt</translation>
    </message>
    <message>
        <source>The file of recognised pages</source>
        <translation>Die Datei der erkannten Seiten</translation>
    </message>
    <message>
        <source>Recognise the text</source>
        <translation>Text erkennen</translation>
    </message>
    <message numerus="yes">
        <source>Stopped: {n:,} page is a picture whose text is not recognised yet. It takes about {time}.</source>
        <comment>Stopped: {n:,} pages are pictures whose text is not recognised yet. It takes about {time}.</comment>
        <translation>
            <numerusform>Angehalten: {n:,} Seite ist ein Bild, dessen Text noch nicht erkannt ist. Dauer: etwa {time}.</numerusform>
            <numerusform>Angehalten: {n:,} Seiten sind Bilder, deren Text noch nicht erkannt ist. Dauer: etwa {time}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} page is a picture. To recognise its text takes about {time}.</source>
        <comment>{n:,} pages are pictures. To recognise their text takes about {time}.</comment>
        <translation>
            <numerusform>{n:,} Seite ist ein Bild. Den Text zu erkennen dauert ungefähr: {time}.</numerusform>
            <numerusform>{n:,} Seiten sind Bilder. Den Text zu erkennen dauert ungefähr: {time}.</numerusform>
        </translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Not sure of {words}: compare the picture.</source>
        <translation>Nicht sicher bei {words}: Vergleichen Sie das Bild.</translation>
    </message>
    <message>
        <source>Text in pictures cannot be recognised: the program tesseract breaks off.</source>
        <translation>Text in Bildern kann nicht erkannt werden: Das Programm tesseract bricht ab.</translation>
    </message>
    <message>
        <source>Install it again, or a newer one.</source>
        <translation>Installieren Sie es neu oder in einer neueren Version.</translation>
    </message>
    <message>
        <source>A very small reader, taught on SQuAD and on questions written to mislead a model (AdversarialQA).</source>
        <translation>Ein sehr kleines Lesemodell, trainiert mit SQuAD und mit Fragen, die Modelle in die Irre führen sollen (AdversarialQA).</translation>
    </message>
    <message>
        <source>A small reader of a family made for telephones, taught on SQuAD 2.0; its vocabulary has no capital letters.</source>
        <translation>Ein kleines Lesemodell aus einer für Telefone gemachten Familie, trainiert mit SQuAD 2.0; sein Vokabular kennt keine Großbuchstaben.</translation>
    </message>
    <message>
        <source>A small reader, distilled from BERT on SQuAD 1.1, where every question has an answer.</source>
        <translation>Ein kleines Lesemodell, aus BERT destilliert mit SQuAD 1.1, wo jede Frage eine Antwort hat.</translation>
    </message>
    <message>
        <source>A distilled roberta-base-squad2 of half its depth, taught on SQuAD 2.0.</source>
        <translation>Ein destilliertes roberta-base-squad2 von halber Tiefe, trainiert mit SQuAD 2.0.</translation>
    </message>
    <message>
        <source>A reader of German, distilled on GermanQuAD from a larger one.</source>
        <translation>Ein Lesemodell für Deutsch, mit GermanQuAD aus einem größeren destilliert.</translation>
    </message>
    <message>
        <source>A reader on RoBERTa base, taught on SQuAD 2.0.</source>
        <translation>Ein Lesemodell auf RoBERTa base, trainiert mit SQuAD 2.0.</translation>
    </message>
    <message>
        <source>A reader of Spanish, taught on SQAC from a RoBERTa of Spain&apos;s national library.</source>
        <translation>Ein Lesemodell für Spanisch, mit SQAC trainiert aus einem RoBERTa der spanischen Nationalbibliothek.</translation>
    </message>
    <message>
        <source>A reader on DeBERTa-v3 base, taught on SQuAD 2.0.</source>
        <translation>Ein Lesemodell auf DeBERTa-v3 base, trainiert mit SQuAD 2.0.</translation>
    </message>
    <message>
        <source>A reader of many languages: pretrained on about a hundred of them, taught to answer on the English SQuAD 2.0.</source>
        <translation>Ein Lesemodell für viele Sprachen: vortrainiert mit rund hundert, das Antworten gelernt am englischen SQuAD 2.0.</translation>
    </message>
    <message>
        <source>The large BERT that masks whole words, taught on SQuAD 1.1, where every question has an answer.</source>
        <translation>Das große BERT, das ganze Wörter maskiert, trainiert mit SQuAD 1.1, wo jede Frage eine Antwort hat.</translation>
    </message>
    <message>
        <source>A large reader on DeBERTa-v3, taught on SQuAD 2.0.</source>
        <translation>Ein großes Lesemodell auf DeBERTa-v3, trainiert mit SQuAD 2.0.</translation>
    </message>
    <message>
        <source>Tells whether an English sentence is for or against, taught on film reviews (SST-2); its card warns of biases about countries.</source>
        <translation>Erkennt, ob ein englischer Satz zustimmend oder ablehnend ist, trainiert mit Filmkritiken (SST-2); seine Karte warnt vor Vorurteilen über Länder.</translation>
    </message>
    <message>
        <source>Marks English comments as toxic, obscene, threatening and more, several labels at once (Jigsaw 2018).</source>
        <translation>Kennzeichnet englische Kommentare als giftig, obszön, drohend und mehr, auch mit mehreren Labels zugleich (Jigsaw 2018).</translation>
    </message>
    <message>
        <source>Finds emotions in short English texts, several at once, taught on Reddit comments (GoEmotions).</source>
        <translation>Findet Gefühle in kurzen englischen Texten, auch mehrere zugleich, trainiert mit Reddit-Kommentaren (GoEmotions).</translation>
    </message>
    <message>
        <source>Positive, neutral or negative in twelve languages; distilled from a larger model without labelled texts.</source>
        <translation>Positiv, neutral oder negativ in zwölf Sprachen; aus einem größeren Modell destilliert, ohne gelabelte Texte.</translation>
    </message>
    <message>
        <source>From very negative to very positive in more than twenty languages; taught on made-up texts.</source>
        <translation>Von sehr negativ bis sehr positiv in über zwanzig Sprachen; trainiert mit künstlichen Texten.</translation>
    </message>
    <message>
        <source>Tells whether a sentence of financial news in English is good, bad or neutral; on DeBERTa-v3 small.</source>
        <translation>Erkennt, ob ein Satz aus englischen Finanznachrichten gut, schlecht oder neutral ist; auf DeBERTa-v3 small.</translation>
    </message>
    <message>
        <source>Gives product reviews in six languages one to five stars.</source>
        <translation>Gibt Produktbewertungen in sechs Sprachen ein bis fünf Sterne.</translation>
    </message>
    <message>
        <source>Tells which of twenty languages a text is written in.</source>
        <translation>Erkennt, in welcher von zwanzig Sprachen ein Text geschrieben ist.</translation>
    </message>
    <message>
        <source>Sorts news in many languages into the 17 main topics of the IPTC; a large model.</source>
        <translation>Ordnet Nachrichten in vielen Sprachen den 17 Hauptthemen des IPTC zu; ein großes Modell.</translation>
    </message>
    <message>
        <source>A very small file: its twelve layers share their weights.</source>
        <translation>Eine sehr kleine Datei: Die zwölf Schichten teilen sich ihre Gewichte.</translation>
    </message>
    <message>
        <source>A distilled BERT of half the depth; knows no capital letters.</source>
        <translation>Ein destilliertes BERT von halber Tiefe; kennt keine Großbuchstaben.</translation>
    </message>
    <message>
        <source>A distilled RoBERTa of half the depth.</source>
        <translation>Ein destilliertes RoBERTa von halber Tiefe.</translation>
    </message>
    <message>
        <source>The first BERT, with capital letters: fills blanks and tells whether a sentence follows.</source>
        <translation>Das erste BERT, mit Großbuchstaben: füllt Lücken und erkennt, ob ein Satz folgt.</translation>
    </message>
    <message>
        <source>A BERT of German alone, with capital letters.</source>
        <translation>Ein BERT nur für Deutsch, mit Großbuchstaben.</translation>
    </message>
    <message>
        <source>The first BERT, without capital letters: fills blanks and tells whether a sentence follows.</source>
        <translation>Das erste BERT, ohne Großbuchstaben: füllt Lücken und erkennt, ob ein Satz folgt.</translation>
    </message>
    <message>
        <source>A BERT that was pretrained longer and on more text, without next sentence.</source>
        <translation>Ein BERT, das länger und mit mehr Text vortrainiert wurde, ohne nächsten Satz.</translation>
    </message>
    <message>
        <source>One BERT for the hundred languages with the largest Wikipedias: blanks and next sentence.</source>
        <translation>Ein BERT für die hundert Sprachen mit den größten Wikipedias: Lücken und nächster Satz.</translation>
    </message>
    <message>
        <source>One RoBERTa for about a hundred languages, pretrained on pages of the web.</source>
        <translation>Ein RoBERTa für rund hundert Sprachen, vortrainiert mit Webseiten.</translation>
    </message>
    <message>
        <source>Finds people, organisations, places and others in English news (CoNLL 2003); half the depth of BERT base.</source>
        <translation>Findet Personen, Organisationen, Orte und anderes in englischen Nachrichten (CoNLL 2003); halb so tief wie BERT base.</translation>
    </message>
    <message>
        <source>Finds diseases, medication, body parts, test results and many more kinds in English case reports.</source>
        <translation>Findet Krankheiten, Medikamente, Körperteile, Befunde und vieles mehr in englischen Fallberichten.</translation>
    </message>
    <message>
        <source>Finds people, organisations, places and others in English news (CoNLL 2003).</source>
        <translation>Findet Personen, Organisationen, Orte und anderes in englischen Nachrichten (CoNLL 2003).</translation>
    </message>
    <message>
        <source>Finds people, organisations and places in ten languages with much written text.</source>
        <translation>Findet Personen, Organisationen und Orte in zehn Sprachen mit viel geschriebenem Text.</translation>
    </message>
    <message>
        <source>Finds people, organisations, places and others in nine languages, taught on texts from Wikipedia (WikiNEuRal).</source>
        <translation>Findet Personen, Organisationen, Orte und anderes in neun Sprachen, trainiert mit Texten aus Wikipedia (WikiNEuRal).</translation>
    </message>
    <message>
        <source>Finds personal details, such as addresses, telephone numbers and passwords, in six languages.</source>
        <translation>Findet persönliche Angaben wie Adressen, Telefonnummern und Passwörter in sechs Sprachen.</translation>
    </message>
    <message>
        <source>Finds passages of English text that mean what a question asks, in other words too.</source>
        <translation>Findet Passagen englischer Texte, die meinen, wonach gefragt wird, auch in anderen Worten.</translation>
    </message>
    <message>
        <source>Finds the span of an English text that answers a question, or tells that the text does not say. The careful reader: what it finds is the answer that is shown.</source>
        <translation>Findet die Stelle eines englischen Textes, die eine Frage beantwortet, oder erkennt, dass der Text es nicht sagt. Das gründliche Lesemodell: Was es findet, wird als Antwort gezeigt.</translation>
    </message>
    <message>
        <source>Finds the span of an English text that answers a question, or tells that the text does not say.</source>
        <translation>Findet die Stelle eines englischen Textes, die eine Frage beantwortet, oder erkennt, dass der Text es nicht sagt.</translation>
    </message>
    <message>
        <source>Finds names of people, places, organisations and other things in an English text.</source>
        <translation>Findet Namen von Personen, Orten, Organisationen und anderem in einem englischen Text.</translation>
    </message>
    <message>
        <source>Fills in missing words of an English text, and tells whether one passage continues another.</source>
        <translation>Füllt fehlende Wörter eines englischen Textes und erkennt, ob eine Passage eine andere fortsetzt.</translation>
    </message>
    <message>
        <source>Tells whether an English text is negative or positive.</source>
        <translation>Erkennt, ob ein englischer Text negativ oder positiv ist.</translation>
    </message>
    <message>
        <source>Why the sea rises and falls</source>
        <translation>Warum das Meer steigt und fällt</translation>
    </message>
    <message>
        <source>A letter about a flat</source>
        <translation>Ein Brief über eine Wohnung</translation>
    </message>
    <message>
        <source>Minutes of a garden club</source>
        <translation>Protokoll eines Gartenvereins</translation>
    </message>
    <message>
        <source>How to look after a moka pot</source>
        <translation>Wie man eine Espressokanne pflegt</translation>
    </message>
    <message>
        <source>Who stole the tarts?</source>
        <translation>Wer hat die Törtchen gestohlen?</translation>
    </message>
    <message>
        <source>An animal with three hearts</source>
        <translation>Ein Tier mit drei Herzen</translation>
    </message>
    <message>
        <source>A happy customer</source>
        <translation>Eine zufriedene Kundin</translation>
    </message>
    <message>
        <source>A disappointed guest</source>
        <translation>Ein enttäuschter Gast</translation>
    </message>
    <message>
        <source>A critic in two minds</source>
        <translation>Ein Kritiker, unentschlossen</translation>
    </message>
    <message>
        <source>Once upon a time there was a ___.</source>
        <translation>Once upon a time there was a ___.</translation>
    </message>
    <message>
        <source>She poured a cup of hot ___.</source>
        <translation>She poured a cup of hot ___.</translation>
    </message>
    <message>
        <source>A letter with five gaps</source>
        <translation>Ein Brief mit fünf Lücken</translation>
    </message>
    <message>
        <source>A recipe that goes on</source>
        <translation>Ein Rezept, das weitergeht</translation>
    </message>
    <message>
        <source>Nothing to do with each other</source>
        <translation>Ohne Zusammenhang</translation>
    </message>
    <message>
        <source>The wrong way round</source>
        <translation>Falsch herum</translation>
    </message>
    <message>
        <source>A museum reopens</source>
        <translation>Ein Museum öffnet wieder</translation>
    </message>
    <message>
        <source>A letter from the road</source>
        <translation>Ein Brief von unterwegs</translation>
    </message>
    <message>
        <source>Wikipedia questions</source>
        <translation>Fragen zu Wikipedia</translation>
    </message>
    <message>
        <source>130 questions on paragraphs of five Wikipedia articles, 40 of them not answered there (SQuAD 2.0, CC BY-SA 4.0). Spanlight quick reader was tuned on these, among others: it may do a little better here than on new ones.</source>
        <translation>130 Fragen zu Absätzen aus fünf Wikipedia-Artikeln, 40 davon dort nicht beantwortet (SQuAD 2.0, CC BY-SA 4.0). Das schnelle Lesemodell von Spanlight wurde auch an diesen eingestellt: Hier kann es etwas besser sein als bei neuen.</translation>
    </message>
    <message>
        <source>Short reviews</source>
        <translation>Kurze Rezensionen</translation>
    </message>
    <message>
        <source>150 sentences from reviews of things, films and restaurants, half of them positive, half negative (CC BY 4.0). Spanlight sentiment was tuned on these, among others: it may do a little better here than on new ones.</source>
        <translation>150 Sätze aus Rezensionen von Produkten, Filmen und Restaurants, zur Hälfte positiv, zur Hälfte negativ (CC BY 4.0). Das Stimmungsmodell von Spanlight wurde auch an diesen eingestellt: Hier kann es etwas besser sein als bei neuen.</translation>
    </message>
    <message>
        <source>Names in Wikipedia</source>
        <translation>Namen in Wikipedia</translation>
    </message>
    <message>
        <source>100 sentences with persons (PER), places (LOC), organisations (ORG) and other names (MISC) (Wikigold, CC BY 4.0). Spanlight names was tuned on these, among others: it may do a little better here than on new ones.</source>
        <translation>100 Sätze mit Personen (PER), Orten (LOC), Organisationen (ORG) und anderen Namen (MISC) (Wikigold, CC BY 4.0). Das Namensmodell von Spanlight wurde auch an diesen eingestellt: Hier kann es etwas besser sein als bei neuen.</translation>
    </message>
    <message>
        <source>Files whose names are no valid Unicode are left out.</source>
        <translation>Dateien, deren Namen kein gültiges Unicode sind, werden ausgelassen.</translation>
    </message>
    <message>
        <source>There is no document in {place}.</source>
        <translation>In {place} ist kein Dokument.</translation>
    </message>
    <message>
        <source>Name another folder.</source>
        <translation>Nennen Sie einen anderen Ordner.</translation>
    </message>
    <message>
        <source>documents measured</source>
        <translation>Dokumente gemessen</translation>
    </message>
    <message>
        <source>documents</source>
        <translation>Dokumente</translation>
    </message>
    <message>
        <source>“{place}” holds no answers.</source>
        <translation>„{place}“ enthält keine Antworten.</translation>
    </message>
    <message>
        <source>“{place}” holds Parquet files that are no answers of a cluster.</source>
        <translation>„{place}“ enthält Parquet-Dateien, die keine Antworten eines Clusters sind.</translation>
    </message>
    <message>
        <source>Name the folder that the cluster wrote.</source>
        <translation>Nennen Sie den Ordner, den der Cluster geschrieben hat.</translation>
    </message>
    <message>
        <source>Line {line} of {file} is no answer of a table.</source>
        <translation>Zeile {line} von {file} ist keine Antwort einer Tabelle.</translation>
    </message>
    <message>
        <source>Choose a table that was exported as JSON Lines.</source>
        <translation>Wählen Sie eine Tabelle, die als JSON Lines exportiert wurde.</translation>
    </message>
    <message>
        <source>The cluster has no address.</source>
        <translation>Der Cluster hat keine Adresse.</translation>
    </message>
    <message>
        <source>Give auto, local, or its address.</source>
        <translation>Geben Sie auto, local oder seine Adresse an.</translation>
    </message>
    <message>
        <source>--cluster needs Ray, which is not installed.</source>
        <translation>--cluster braucht Ray, das nicht installiert ist.</translation>
    </message>
    <message>
        <source>Switch that off to reach a cluster, or use --cluster local.</source>
        <translation>Schalten Sie das aus, um einen Cluster zu erreichen, oder verwenden Sie --cluster local.</translation>
    </message>
    <message>
        <source>{what}, {failed:,} failed, {rate:,.0f} a minute</source>
        <translation>{what}, {failed:,} fehlgeschlagen, {rate:,.0f} pro Minute</translation>
    </message>
    <message>
        <source>The work on the cluster broke off: {reason}.</source>
        <translation>Die Arbeit auf dem Cluster brach ab: {reason}.</translation>
    </message>
    <message>
        <source>Check that its nodes have Spanlight; started again, it goes on from there.</source>
        <translation>Prüfen Sie, ob Spanlight auf seinen Knoten installiert ist; neu gestartet, geht es von dort weiter.</translation>
    </message>
    <message>
        <source>Connecting to the cluster</source>
        <translation>Verbindung zum Cluster wird hergestellt</translation>
    </message>
    <message>
        <source>The cluster “{address}” cannot be reached.</source>
        <translation>Der Cluster „{address}“ ist nicht erreichbar.</translation>
    </message>
    <message>
        <source>Check its address, and that it has this computer&apos;s releases of Ray and Python.</source>
        <translation>Prüfen Sie die Adresse und ob er dieselben Versionen von Ray und Python hat wie dieser Computer.</translation>
    </message>
    <message>
        <source>Install it into Spanlight&apos;s environment: pip install &apos;spanlight[cluster]&apos;</source>
        <translation>Installieren Sie es in der Umgebung von Spanlight: pip install &apos;spanlight[cluster]&apos;</translation>
    </message>
    <message>
        <source>Parquet files need pyarrow, which is not installed.</source>
        <translation>Parquet-Dateien brauchen pyarrow, das nicht installiert ist.</translation>
    </message>
    <message>
        <source>“{place}” cannot be reached: {reason}.</source>
        <translation>„{place}“ ist nicht erreichbar: {reason}.</translation>
    </message>
    <message>
        <source>“{place}” could not be listed</source>
        <translation>„{place}“ konnte nicht aufgelistet werden</translation>
    </message>
    <message>
        <source>“{place}” could not be looked at</source>
        <translation>„{place}“ konnte nicht angesehen werden</translation>
    </message>
    <message>
        <source>“{file}” could not be read</source>
        <translation>„{file}“ konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>“{place}” holds no answers of a cluster.</source>
        <translation>„{place}“ enthält keine Antworten eines Clusters.</translation>
    </message>
    <message>
        <source>Name the folder that the cluster wrote, with its file {name}.</source>
        <translation>Nennen Sie den Ordner, den der Cluster geschrieben hat, mit seiner Datei {name}.</translation>
    </message>
    <message>
        <source>“{file}” could not be written</source>
        <translation>„{file}“ konnte nicht geschrieben werden</translation>
    </message>
    <message>
        <source>{failed}: {reason}.</source>
        <translation>{failed}: {reason}.</translation>
    </message>
    <message>
        <source>Free some space, check the permissions, or name another folder.</source>
        <translation>Geben Sie Speicherplatz frei, prüfen Sie die Zugriffsrechte oder nennen Sie einen anderen Ordner.</translation>
    </message>
    <message>
        <source>“{file}” has no column of texts “{column}”.</source>
        <translation>„{file}“ hat keine Textspalte „{column}“.</translation>
    </message>
    <message>
        <source>Its columns of texts are: {columns}.</source>
        <translation>Die Textspalten sind: {columns}.</translation>
    </message>
    <message>
        <source>“{file}” has other columns than the files before it.</source>
        <translation>„{file}“ hat andere Spalten als die Dateien davor.</translation>
    </message>
    <message>
        <source>Classify it by itself.</source>
        <translation>Klassifizieren Sie diese Datei für sich.</translation>
    </message>
    <message>
        <source>There are no texts in {place}.</source>
        <translation>In {place} sind keine Texte.</translation>
    </message>
    <message>
        <source>Name a Parquet file.</source>
        <translation>Nennen Sie eine Parquet-Datei.</translation>
    </message>
    <message numerus="yes">
        <source>“{file}” has {n} column of texts.</source>
        <comment>“{file}” has {n} columns of texts.</comment>
        <translation>
            <numerusform>„{file}“ hat {n} Textspalte.</numerusform>
            <numerusform>„{file}“ hat {n} Textspalten.</numerusform>
        </translation>
    </message>
    <message>
        <source>Name the one to classify with --column.</source>
        <translation>Nennen Sie mit --column die, die klassifiziert werden soll.</translation>
    </message>
    <message>
        <source>“{place}” holds other Parquet files: of other texts, of texts as they were before, or of another model.</source>
        <translation>„{place}“ enthält andere Parquet-Dateien: von anderen Texten, von früheren Fassungen der Texte oder von einem anderen Modell.</translation>
    </message>
    <message>
        <source>Name another folder, or remove them.</source>
        <translation>Nennen Sie einen anderen Ordner oder entfernen Sie sie.</translation>
    </message>
</context>
</TS>
