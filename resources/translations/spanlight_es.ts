<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="es_ES" sourcelanguage="en">
<context>
    <name></name>
    <message>
        <source>Monday</source>
        <translation>lunes</translation>
    </message>
    <message>
        <source>Tuesday</source>
        <translation>martes</translation>
    </message>
    <message>
        <source>Wednesday</source>
        <translation>miércoles</translation>
    </message>
    <message>
        <source>Thursday</source>
        <translation>jueves</translation>
    </message>
    <message>
        <source>Friday</source>
        <translation>viernes</translation>
    </message>
    <message>
        <source>Saturday</source>
        <translation>sábado</translation>
    </message>
    <message>
        <source>Sunday</source>
        <translation>domingo</translation>
    </message>
    <message>
        <source>January</source>
        <translation>enero</translation>
    </message>
    <message>
        <source>February</source>
        <translation>febrero</translation>
    </message>
    <message>
        <source>March</source>
        <translation>marzo</translation>
    </message>
    <message>
        <source>April</source>
        <translation>abril</translation>
    </message>
    <message>
        <source>May</source>
        <translation>mayo</translation>
    </message>
    <message>
        <source>June</source>
        <translation>junio</translation>
    </message>
    <message>
        <source>July</source>
        <translation>julio</translation>
    </message>
    <message>
        <source>August</source>
        <translation>agosto</translation>
    </message>
    <message>
        <source>September</source>
        <translation>septiembre</translation>
    </message>
    <message>
        <source>October</source>
        <translation>octubre</translation>
    </message>
    <message>
        <source>November</source>
        <translation>noviembre</translation>
    </message>
    <message>
        <source>December</source>
        <translation>diciembre</translation>
    </message>
    <message>
        <source>today</source>
        <translation>hoy</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Hoy</translation>
    </message>
    <message>
        <source>yesterday</source>
        <translation>ayer</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>Ayer</translation>
    </message>
    <message>
        <source>{weekday}, {day} {month}</source>
        <translation>{weekday}, {day} de {month}</translation>
    </message>
    <message>
        <source>{weekday}, {day} {month} {year}</source>
        <translation>{weekday}, {day} de {month} de {year}</translation>
    </message>
    <message>
        <source>{day} {month} {year}</source>
        <translation>{day} de {month} de {year}</translation>
    </message>
    <message>
        <source>{date}, {time}</source>
        <translation>{date}, {time}</translation>
    </message>
    <message>
        <source>questions</source>
        <translation>preguntas</translation>
    </message>
    <message>
        <source>texts</source>
        <translation>textos</translation>
    </message>
    <message>
        <source>sentences</source>
        <translation>frases</translation>
    </message>
    <message>
        <source>Exact</source>
        <translation>Exacto</translation>
    </message>
    <message>
        <source>Questions answered with exactly the known words, or rightly not answered.</source>
        <translation>Preguntas respondidas con exactamente las palabras conocidas, o dejadas sin responder con acierto.</translation>
    </message>
    <message>
        <source>exact match, EM (SQuAD 2.0)</source>
        <translation>coincidencia exacta, EM (SQuAD 2.0)</translation>
    </message>
    <message>
        <source>F1</source>
        <translation>F1</translation>
    </message>
    <message>
        <source>How far the words given are those of the known answer; a question rightly not answered counts in full.</source>
        <translation>En qué medida las palabras dadas son las de la respuesta conocida; una pregunta dejada sin responder con acierto cuenta entera.</translation>
    </message>
    <message>
        <source>F1 over tokens (SQuAD 2.0)</source>
        <translation>F1 por tokens (SQuAD 2.0)</translation>
    </message>
    <message>
        <source>F1 of the best place</source>
        <translation>F1 del mejor lugar</translation>
    </message>
    <message>
        <source>F1 of the best place found, over the questions that have an answer, given or not.</source>
        <translation>F1 del mejor lugar encontrado, en las preguntas que tienen respuesta, se diera o no.</translation>
    </message>
    <message>
        <source>F1 with a forced answer</source>
        <translation>F1 con respuesta forzada</translation>
    </message>
    <message>
        <source>Rightly unanswered</source>
        <translation>Abstenciones correctas</translation>
    </message>
    <message>
        <source>Of the questions that the text does not answer, those left unanswered.</source>
        <translation>Proporción de las preguntas sin respuesta en el texto que se dejaron sin responder.</translation>
    </message>
    <message>
        <source>no-answer accuracy</source>
        <translation>exactitud en preguntas sin respuesta</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>Correcto</translation>
    </message>
    <message>
        <source>Texts given their known class.</source>
        <translation>Textos que recibieron su clase conocida.</translation>
    </message>
    <message>
        <source>accuracy</source>
        <translation>exactitud</translation>
    </message>
    <message>
        <source>F1 of the classes</source>
        <translation>F1 de las clases</translation>
    </message>
    <message>
        <source>For each class, how many of its texts were found and how many wrongly put there; the mean over all classes.</source>
        <translation>Para cada clase, cuántos de sus textos se encontraron y cuántos se pusieron en ella por error; la media de todas las clases.</translation>
    </message>
    <message>
        <source>macro F1</source>
        <translation>F1 macro</translation>
    </message>
    <message>
        <source>Of those found</source>
        <translation>De los encontrados</translation>
    </message>
    <message>
        <source>Of the names found, those that are right.</source>
        <translation>Proporción de los nombres encontrados que son correctos.</translation>
    </message>
    <message>
        <source>precision</source>
        <translation>precisión</translation>
    </message>
    <message>
        <source>Of those there</source>
        <translation>De los presentes</translation>
    </message>
    <message>
        <source>Of the names there, those that were found.</source>
        <translation>Proporción de los nombres presentes que se encontraron.</translation>
    </message>
    <message>
        <source>recall</source>
        <translation>exhaustividad</translation>
    </message>
    <message>
        <source>Calibration error</source>
        <translation>Error de calibración</translation>
    </message>
    <message>
        <source>How far its probabilities lie from how often it is right; less is better.</source>
        <translation>Cuánto se apartan sus probabilidades de la frecuencia con que acierta; menos es mejor.</translation>
    </message>
    <message>
        <source>expected calibration error, ECE, ten bins (Guo et al. 2017)</source>
        <translation>error de calibración esperado, ECE, diez intervalos (Guo et al. 2017)</translation>
    </message>
    <message>
        <source>How many names were found with their exact place and kind, and how many found wrongly.</source>
        <translation>Cuántos nombres se encontraron con su lugar y tipo exactos, y cuántos por error.</translation>
    </message>
    <message>
        <source>entity F1 (CoNLL 2003)</source>
        <translation>F1 por entidades (CoNLL 2003)</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} question</source>
        <comment>{n:,} questions</comment>
        <translation>
            <numerusform>{n:,} pregunta</numerusform>
            <numerusform>{n:,} preguntas</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} text</source>
        <comment>{n:,} texts</comment>
        <translation>
            <numerusform>{n:,} texto</numerusform>
            <numerusform>{n:,} textos</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} sentence</source>
        <comment>{n:,} sentences</comment>
        <translation>
            <numerusform>{n:,} frase</numerusform>
            <numerusform>{n:,} frases</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} example</source>
        <comment>{n:,} examples</comment>
        <translation>
            <numerusform>{n:,} ejemplo</numerusform>
            <numerusform>{n:,} ejemplos</numerusform>
        </translation>
    </message>
    <message>
        <source>examples for this</source>
        <translation>ejemplos para esto</translation>
    </message>
    <message>
        <source>{speed:,.0f} a second</source>
        <translation>{speed:,.0f} por segundo</translation>
    </message>
    <message>
        <source>{speed:.1f} a second</source>
        <translation>{speed:.1f} por segundo</translation>
    </message>
    <message>
        <source>{number}%</source>
        <translation>{number}&#xa0;%</translation>
    </message>
    <message>
        <source>Both got {right:,} of {total} right, the very same ones.</source>
        <translation>Ambos acertaron {right:,} de {total}, exactamente en los mismos casos.</translation>
    </message>
    <message>
        <source>Both got {right:,} of {total} right, not all the same ones.</source>
        <translation>Ambos acertaron {right:,} de {total}, aunque no siempre en los mismos casos.</translation>
    </message>
    <message>
        <source>{one} got {first:,} of {total} right, {other} {second:,}.</source>
        <translation>{one} acertó {first:,} de {total}; {other}, {second:,}.</translation>
    </message>
    <message>
        <source>{facts} That is hardly chance: two equally good models would differ so much {rarity}.</source>
        <translation>{facts} Difícilmente es azar: dos modelos igual de buenos diferirían tanto {rarity}.</translation>
    </message>
    <message>
        <source>{facts} That may be chance: two equally good models would differ so much {rarity}.</source>
        <translation>{facts} Puede ser azar: dos modelos igual de buenos diferirían tanto {rarity}.</translation>
    </message>
    <message>
        <source>{model} (first)</source>
        <translation>{model} (primero)</translation>
    </message>
    <message>
        <source>{model} (second)</source>
        <translation>{model} (segundo)</translation>
    </message>
    <message>
        <source>less than once in a thousand such tests</source>
        <translation>en menos de una de cada mil pruebas como esta</translation>
    </message>
    <message>
        <source>about {times} times in a thousand such tests</source>
        <translation>en cerca de {times} de cada mil pruebas como esta</translation>
    </message>
    <message>
        <source>about {times} times in a hundred such tests</source>
        <translation>en cerca de {times} de cada cien pruebas como esta</translation>
    </message>
    <message>
        <source>A text</source>
        <translation>Un texto</translation>
    </message>
    <message>
        <source>files indexed anew</source>
        <translation>archivos indexados de nuevo</translation>
    </message>
    <message>
        <source>The text does not say.</source>
        <translation>El texto no lo dice.</translation>
    </message>
    <message>
        <source>No answer in the part that was read.</source>
        <translation>No hay respuesta en la parte leída.</translation>
    </message>
    <message>
        <source>These are the nearest words, and may not be the answer.</source>
        <translation>Estas son las palabras más cercanas; puede que no sean la respuesta.</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Parado</translation>
    </message>
    <message>
        <source>Very likely</source>
        <translation>Muy probable</translation>
    </message>
    <message>
        <source>Likely</source>
        <translation>Probable</translation>
    </message>
    <message>
        <source>Possibly</source>
        <translation>Posible</translation>
    </message>
    <message>
        <source>Unlikely</source>
        <translation>Poco probable</translation>
    </message>
    <message>
        <source>Very unlikely</source>
        <translation>Muy poco probable</translation>
    </message>
    <message>
        <source>{likelihood}, {percent}</source>
        <translation>{likelihood}, {percent}</translation>
    </message>
    <message>
        <source>Best of several, {percent}</source>
        <translation>La mejor de varias, {percent}</translation>
    </message>
    <message>
        <source>Low confidence, {percent}</source>
        <translation>Poca seguridad, {percent}</translation>
    </message>
    <message>
        <source>{text} sure that the text answers, {words} that these words do</source>
        <translation>{text} de seguridad de que el texto responde, {words} de que lo hacen estas palabras</translation>
    </message>
    <message>
        <source>{percent} sure</source>
        <translation>{percent} de seguridad</translation>
    </message>
    <message>
        <source>The answer was not kept. {reason}</source>
        <translation>La respuesta no se ha guardado. {reason}</translation>
    </message>
    <message>
        <source>{how} before the end</source>
        <translation>{how} antes del final</translation>
    </message>
    <message>
        <source>{how} at the start</source>
        <translation>{how} al principio</translation>
    </message>
    <message>
        <source>{how} after {percent} of the reading</source>
        <translation>{how} tras el {percent} de la lectura</translation>
    </message>
    <message>
        <source>{how} after {percent} of the best passages</source>
        <translation>{how} tras el {percent} de los mejores pasajes</translation>
    </message>
    <message>
        <source>{how} after {percent} of the text</source>
        <translation>{how} tras el {percent} del texto</translation>
    </message>
    <message>
        <source>Only the best passages were read</source>
        <translation>Solo se han leído los mejores pasajes</translation>
    </message>
    <message>
        <source>Only the best passages were read, {percent} of the text</source>
        <translation>Solo se han leído los mejores pasajes, {percent} del texto</translation>
    </message>
    <message>
        <source>page {number:,}</source>
        <translation>página {number:,}</translation>
    </message>
    <message>
        <source>page {label} ({number:,} in the file)</source>
        <translation>página {label} ({number:,} en el archivo)</translation>
    </message>
    <message>
        <source>line {line:,}</source>
        <translation>línea {line:,}</translation>
    </message>
    <message>
        <source>row {row:,}, column {column}</source>
        <translation>fila {row:,}, columna {column}</translation>
    </message>
    <message>
        <source>sheet {sheet}, cell {cell}</source>
        <translation>hoja {sheet}, celda {cell}</translation>
    </message>
    <message>
        <source>&lt; 1%</source>
        <translation>&lt; 1&#xa0;%</translation>
    </message>
    <message>
        <source>&gt; 99%</source>
        <translation>&gt; 99&#xa0;%</translation>
    </message>
    <message>
        <source>{number:#.2g}%</source>
        <translation>{number:#.2g} %</translation>
    </message>
    <message>
        <source>&lt; 1 in a billion</source>
        <translation>&lt; 1 entre mil millones</translation>
    </message>
    <message>
        <source>1 in {number:,}</source>
        <translation>1 entre {number:,}</translation>
    </message>
    <message>
        <source>less than 0.1 seconds</source>
        <translation>menos de 0,1 segundos</translation>
    </message>
    <message>
        <source>{number:.1f} seconds</source>
        <translation>{number:.1f} segundos</translation>
    </message>
    <message numerus="yes">
        <source>{n} second</source>
        <comment>{n} seconds</comment>
        <translation>
            <numerusform>{n} segundo</numerusform>
            <numerusform>{n} segundos</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} minute</source>
        <comment>{n} minutes</comment>
        <translation>
            <numerusform>{n} minuto</numerusform>
            <numerusform>{n} minutos</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} hour</source>
        <comment>{n:,} hours</comment>
        <translation>
            <numerusform>{n:,} hora</numerusform>
            <numerusform>{n:,} horas</numerusform>
        </translation>
    </message>
    <message>
        <source>{hours} {minutes}</source>
        <translation>{hours} y {minutes}</translation>
    </message>
    <message>
        <source>a few seconds left</source>
        <translation>quedan unos segundos</translation>
    </message>
    <message>
        <source>about {time} left</source>
        <translation>quedan cerca de {time}</translation>
    </message>
    <message>
        <source>about a minute left</source>
        <translation>queda cerca de un minuto</translation>
    </message>
    <message numerus="yes">
        <source>{n} byte</source>
        <comment>{n} bytes</comment>
        <translation>
            <numerusform>{n} byte</numerusform>
            <numerusform>{n} bytes</numerusform>
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
        <translation>Preguntas: .json (SQuAD) o .jsonl; tablas: .csv o .tsv; palabras etiquetadas: .conll o .jsonl.</translation>
    </message>
    <message>
        <source>A table of questions needs the columns “question”, “context” and “answer”, a table of texts “text” and “label”.</source>
        <translation>Una tabla de preguntas necesita las columnas «question», «context» y «answer»; una tabla de textos, «text» y «label».</translation>
    </message>
    <message>
        <source>There is no example in {file}.</source>
        <translation>No hay ningún ejemplo en {file}.</translation>
    </message>
    <message>
        <source>{file} holds more than {n:,} examples.</source>
        <translation>{file} contiene más de {n:,} ejemplos.</translation>
    </message>
    <message>
        <source>A tenth of them measures as well.</source>
        <translation>Con la décima parte se mide igual de bien.</translation>
    </message>
    <message>
        <source>{file} holds {held}, not {wanted}.</source>
        <translation>{file} contiene {held}, no {wanted}.</translation>
    </message>
    <message>
        <source>{file} is not a text file.</source>
        <translation>{file} no es un archivo de texto.</translation>
    </message>
    <message>
        <source>{file} is not a file of examples that Spanlight knows.</source>
        <translation>{file} no es un archivo de ejemplos que Spanlight conozca.</translation>
    </message>
    <message>
        <source>The first row of {file} is not an example.</source>
        <translation>La primera fila de {file} no es un ejemplo.</translation>
    </message>
    <message>
        <source>Rows need &quot;context&quot;, &quot;question&quot; and &quot;answers&quot;, or &quot;text&quot; and &quot;label&quot;, or &quot;tokens&quot; and &quot;tags&quot;.</source>
        <translation>Las filas necesitan «context», «question» y «answers», o «text» y «label», o «tokens» y «tags».</translation>
    </message>
    <message>
        <source>{file} has no columns with names.</source>
        <translation>{file} no tiene columnas con nombre.</translation>
    </message>
    <message>
        <source>{file} has the columns {names}.</source>
        <translation>{file} tiene las columnas {names}.</translation>
    </message>
    <message>
        <source>Take it out of the file.</source>
        <translation>Quítala del archivo.</translation>
    </message>
    <message>
        <source>Row {number} of {file} has no context.</source>
        <translation>La fila {number} de {file} no tiene contexto.</translation>
    </message>
    <message>
        <source>Row {number} of {file} has no question.</source>
        <translation>La fila {number} de {file} no tiene pregunta.</translation>
    </message>
    <message>
        <source>Row {number} of {file} has no text.</source>
        <translation>La fila {number} de {file} no tiene texto.</translation>
    </message>
    <message>
        <source>Row {number} of {file} has no label.</source>
        <translation>La fila {number} de {file} no tiene etiqueta.</translation>
    </message>
    <message>
        <source>Give it one, or take it out.</source>
        <translation>Ponle una o quita la fila.</translation>
    </message>
    <message>
        <source>Fits easily: takes {needed} of this computer&apos;s {memory} of memory.</source>
        <translation>Cabe de sobra: ocupa {needed} de los {memory} de memoria de este ordenador.</translation>
    </message>
    <message>
        <source>Fits: takes {needed} of this computer&apos;s {memory} of memory.</source>
        <translation>Cabe: ocupa {needed} de los {memory} de memoria de este ordenador.</translation>
    </message>
    <message>
        <source>Large for this computer: takes {needed} of its {memory}.</source>
        <translation>Grande para este ordenador: ocupa {needed} de sus {memory}.</translation>
    </message>
    <message>
        <source>Too large for this computer: takes {needed} of its {memory}.</source>
        <translation>Demasiado grande para este ordenador: ocupa {needed} de sus {memory}.</translation>
    </message>
    <message>
        <source>{model}, F1 {f1} on SQuAD 2.0 as its authors report, {size}</source>
        <translation>{model}, F1 {f1} en SQuAD 2.0 según sus autores, {size}</translation>
    </message>
    <message>
        <source>{model}, F1 {f1} on SQuAD 2.0 as its authors report, {size}, roughly {time} a page on this computer</source>
        <translation>{model}, F1 {f1} en SQuAD 2.0 según sus autores, {size}, cerca de {time} por página en este ordenador</translation>
    </message>
    <message>
        <source>{fit} {pace}</source>
        <translation>{fit} {pace}</translation>
    </message>
    <message>
        <source>Measured here: {rate}.</source>
        <translation>Medido aquí: {rate}.</translation>
    </message>
    <message>
        <source>Roughly {time} a page on this computer.</source>
        <translation>Cerca de {time} por página en este ordenador.</translation>
    </message>
    <message>
        <source>Roughly {rate}, going by {model} measured here.</source>
        <translation>Cerca de {rate}, a juzgar por {model}, medido aquí.</translation>
    </message>
    <message>
        <source>{speed:.1f} {examples} a second</source>
        <translation>{speed:.1f} {examples} por segundo</translation>
    </message>
    <message>
        <source>{examples} a second</source>
        <translation>{examples} por segundo</translation>
    </message>
    <message>
        <source>Ask in the terminal instead: {command} ask FILE --question &quot;...&quot;</source>
        <translation>Puedes preguntar en la terminal: {command} ask ARCHIVO --question &quot;...&quot;</translation>
    </message>
    <message>
        <source>The screen cannot be reached to open a window on ({names}).</source>
        <translation>No se puede acceder a la pantalla para abrir una ventana ({names}).</translation>
    </message>
    <message>
        <source>nothing names one</source>
        <translation>nada indica ninguna</translation>
    </message>
    <message>
        <source>No window can be opened here.</source>
        <translation>Aquí no se puede abrir ninguna ventana.</translation>
    </message>
    <message>
        <source>No window can be opened here: {reason}.</source>
        <translation>Aquí no se puede abrir ninguna ventana: {reason}.</translation>
    </message>
    <message>
        <source>Something went wrong inside Spanlight.</source>
        <translation>Algo ha fallado dentro de Spanlight.</translation>
    </message>
    <message>
        <source>What you typed is kept. The report can be copied.</source>
        <translation>Lo que escribiste se conserva. El informe se puede copiar.</translation>
    </message>
    <message>
        <source>Put this message away</source>
        <translation>Cerrar este mensaje</translation>
    </message>
    <message>
        <source>Previous place</source>
        <translation>Lugar anterior</translation>
    </message>
    <message>
        <source>Previous place  (Shift+Enter, Shift+F3)</source>
        <translation>Lugar anterior  (Mayús+Enter, Mayús+F3)</translation>
    </message>
    <message>
        <source>Next place</source>
        <translation>Lugar siguiente</translation>
    </message>
    <message>
        <source>Next place  (Enter, F3)</source>
        <translation>Lugar siguiente  (Enter, F3)</translation>
    </message>
    <message>
        <source>Put away</source>
        <translation>Cerrar</translation>
    </message>
    <message>
        <source>Put away  (Esc)</source>
        <translation>Cerrar  (Esc)</translation>
    </message>
    <message>
        <source>Copy the path</source>
        <translation>Copiar la ruta</translation>
    </message>
    <message>
        <source>Copy the report</source>
        <translation>Copiar el informe</translation>
    </message>
    <message>
        <source>Copy it into a report of a fault. It names no text, question or answer; the log&apos;s last lines may name what went wrong, so look through it first. Nothing is sent by itself.</source>
        <translation>Cópialo en un informe de error. No incluye textos, preguntas ni respuestas; las últimas líneas del registro pueden nombrar lo que ha fallado, así que revísalo antes. Nada se envía por sí solo.</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>Copiado</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Copiar</translation>
    </message>
    <message>
        <source>Diagnostics</source>
        <translation>Diagnóstico</translation>
    </message>
    <message>
        <source>Copy the diagnostics</source>
        <translation>Copiar el diagnóstico</translation>
    </message>
    <message>
        <source>Being gathered…</source>
        <translation>Recopilando…</translation>
    </message>
    <message>
        <source>The diagnostics were copied</source>
        <translation>Se ha copiado el diagnóstico</translation>
    </message>
    <message>
        <source>Key {key}</source>
        <translation>Tecla {key}</translation>
    </message>
    <message>
        <source>See how the model came to its result: the words cut into tokens, the numbers that flow through its layers, and what each of its heads makes of them. Every number is computed on this computer while you look, from the model that is installed.</source>
        <translation>Mira cómo ha llegado el modelo a su resultado: las palabras divididas en tokens, los números que fluyen por sus capas y lo que hace con ellos cada una de sus cabezas. Cada número se calcula en este ordenador mientras miras, con el modelo que está instalado.</translation>
    </message>
    <message>
        <source>Or press Look inside beside any answer, class or word that Spanlight gave you.</source>
        <translation>O pulsa «Ver por dentro» junto a cualquier respuesta, clase o palabra que te haya dado Spanlight.</translation>
    </message>
    <message>
        <source>There is no model here yet. As soon as one is installed, examples stand here.</source>
        <translation>Todavía no hay ningún modelo. En cuanto se instale uno, aquí aparecerán ejemplos.</translation>
    </message>
    <message>
        <source>Look inside the model</source>
        <translation>Ver el modelo por dentro</translation>
    </message>
    <message>
        <source>Model that is looked into</source>
        <translation>Modelo que se ve por dentro</translation>
    </message>
    <message>
        <source>Other examples</source>
        <translation>Otros ejemplos</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modelo</translation>
    </message>
    <message>
        <source>Look inside</source>
        <translation>Ver por dentro</translation>
    </message>
    <message>
        <source>Next section, section before</source>
        <translation>Sección siguiente, sección anterior</translation>
    </message>
    <message>
        <source>Save the section&apos;s numbers</source>
        <translation>Guardar los números de la sección</translation>
    </message>
    <message>
        <source>Copy a chart&apos;s numbers</source>
        <translation>Copiar los números de un gráfico</translation>
    </message>
    <message>
        <source>See how the model came to this  (Ctrl+I)</source>
        <translation>Ver cómo ha llegado el modelo a esto  (Ctrl+I)</translation>
    </message>
    <message>
        <source>A model reads examples whose answers are known: how often it is right, how fast it is, and whether its probabilities can be trusted are kept here, so that two models can be compared. Take examples that are like your own texts where you have them; small sets come along to try.</source>
        <translation>Un modelo lee ejemplos cuyas respuestas se conocen: aquí se guarda cuántas veces acierta, lo rápido que es y si se puede confiar en sus probabilidades, para comparar dos modelos. Usa ejemplos parecidos a tus propios textos si los tienes; para probar, se incluyen conjuntos pequeños.</translation>
    </message>
    <message>
        <source>How good is a model?</source>
        <translation>¿Qué tal funciona un modelo?</translation>
    </message>
    <message>
        <source>No model that is installed can read {examples}.</source>
        <translation>Ningún modelo instalado puede leer {examples}.</translation>
    </message>
    <message>
        <source>Get one under “Get more”.</source>
        <translation>Descarga uno en «Obtener más».</translation>
    </message>
    <message>
        <source>Measure {model} on {examples}</source>
        <translation>Medir {model} con {examples}</translation>
    </message>
    <message>
        <source>Getting {model} ready</source>
        <translation>Preparando {model}</translation>
    </message>
    <message>
        <source>the measuring of {model}</source>
        <translation>la medición de {model}</translation>
    </message>
    <message>
        <source>{model} reads {set}: {done:,} of {all}</source>
        <translation>{model} lee {set}: {done:,} de {all}</translation>
    </message>
    <message>
        <source>{model} measured in {time}</source>
        <translation>{model} medido en {time}</translation>
    </message>
    <message>
        <source>Stopped, and nothing of it kept</source>
        <translation>Parado, sin guardar nada</translation>
    </message>
    <message>
        <source>Examples ({endings});;All files (*)</source>
        <translation>Ejemplos ({endings});;Todos los archivos (*)</translation>
    </message>
    <message>
        <source>Examples with known answers</source>
        <translation>Ejemplos con respuestas conocidas</translation>
    </message>
    <message>
        <source>A port is a number from 1 to 65535.</source>
        <translation>Un puerto es un número del 1 al 65535.</translation>
    </message>
    <message>
        <source>Without https, others on the way can see what is downloaded, and change it.</source>
        <translation>Sin https, otros pueden ver por el camino lo que se descarga, y cambiarlo.</translation>
    </message>
    <message>
        <source>Only proxies that speak http or https can be used, not {scheme}.</source>
        <translation>Solo se pueden usar proxies que hablen http o https, no {scheme}.</translation>
    </message>
    <message>
        <source>The password is kept readable in Spanlight&apos;s settings file.</source>
        <translation>La contraseña se guarda sin cifrar en el archivo de ajustes de Spanlight.</translation>
    </message>
    <message>
        <source>Without https, others on the way could change what is announced.</source>
        <translation>Sin https, otros podrían cambiar por el camino lo que se anuncia.</translation>
    </message>
    <message>
        <source>An address holds no blanks.</source>
        <translation>Una dirección no lleva espacios.</translation>
    </message>
    <message>
        <source>This is no address that can be used; it looks like {example}.</source>
        <translation>Esta dirección no se puede usar; tiene que ser como {example}.</translation>
    </message>
    <message>
        <source>You said: right</source>
        <translation>Has dicho: correcto</translation>
    </message>
    <message>
        <source>Yours: {words}</source>
        <translation>Tus palabras: {words}</translation>
    </message>
    <message>
        <source>You said: not in the text</source>
        <translation>Has dicho: no está en el texto</translation>
    </message>
    <message>
        <source>a pipe</source>
        <translation>una tubería</translation>
    </message>
    <message>
        <source>a socket</source>
        <translation>un socket</translation>
    </message>
    <message>
        <source>a device</source>
        <translation>un dispositivo</translation>
    </message>
    <message>
        <source>the disk refused</source>
        <translation>el disco lo ha rechazado</translation>
    </message>
    <message>
        <source>the disk is full</source>
        <translation>el disco está lleno</translation>
    </message>
    <message>
        <source>“{name}” could not be written: the disk is full.</source>
        <translation>No se ha podido escribir «{name}»: el disco está lleno.</translation>
    </message>
    <message>
        <source>Not everything could be written: the disk is full.</source>
        <translation>No se ha podido escribir todo: el disco está lleno.</translation>
    </message>
    <message>
        <source>Free some space and try again.</source>
        <translation>Libera espacio y vuelve a intentarlo.</translation>
    </message>
    <message>
        <source>“{name}” could not be used: {reason}.</source>
        <translation>No se ha podido usar «{name}»: {reason}.</translation>
    </message>
    <message>
        <source>Check the name and its permissions.</source>
        <translation>Comprueba el nombre y los permisos.</translation>
    </message>
    <message>
        <source>There is no file “{path}”.</source>
        <translation>No existe el archivo «{path}».</translation>
    </message>
    <message>
        <source>Check the name and the folder.</source>
        <translation>Comprueba el nombre y la carpeta.</translation>
    </message>
    <message>
        <source>“{name}” may not be read.</source>
        <translation>No hay permiso para leer «{name}».</translation>
    </message>
    <message>
        <source>Check the file&apos;s permissions.</source>
        <translation>Comprueba los permisos del archivo.</translation>
    </message>
    <message>
        <source>its name or its disk is at fault</source>
        <translation>el fallo está en su nombre o en su disco</translation>
    </message>
    <message>
        <source>it is a link that leads back to itself</source>
        <translation>es un enlace que vuelve a sí mismo</translation>
    </message>
    <message>
        <source>“{name}” could not be read: {reason}.</source>
        <translation>No se ha podido leer «{name}»: {reason}.</translation>
    </message>
    <message>
        <source>Copy it elsewhere and try that.</source>
        <translation>Cópialo en otro lugar y prueba con la copia.</translation>
    </message>
    <message>
        <source>“{name}” is a folder.</source>
        <translation>«{name}» es una carpeta.</translation>
    </message>
    <message>
        <source>Choose files instead.</source>
        <translation>Elige archivos.</translation>
    </message>
    <message>
        <source>“{name}” is {what}, not a file.</source>
        <translation>«{name}» es {what}, no un archivo.</translation>
    </message>
    <message>
        <source>Save what it gives in a file, and open that.</source>
        <translation>Guarda en un archivo lo que entrega y abre ese archivo.</translation>
    </message>
    <message>
        <source>“{path}” is not a file.</source>
        <translation>«{path}» no es un archivo.</translation>
    </message>
    <message>
        <source>Give the name of a file for the output.</source>
        <translation>Indica el nombre de un archivo para la salida.</translation>
    </message>
    <message>
        <source>“{name}” could not be read: it is damaged.</source>
        <translation>No se ha podido leer «{name}»: está dañado.</translation>
    </message>
    <message>
        <source>Check the file.</source>
        <translation>Comprueba el archivo.</translation>
    </message>
    <message>
        <source>“{name}” is larger than {size}.</source>
        <translation>«{name}» ocupa más de {size}.</translation>
    </message>
    <message>
        <source>Split it into parts.</source>
        <translation>Divídelo en partes.</translation>
    </message>
    <message>
        <source>Line {number:,} of {name} is longer than {size}.</source>
        <translation>La línea {number:,} de {name} ocupa más de {size}.</translation>
    </message>
    <message>
        <source>Split the text in it into parts.</source>
        <translation>Divide en partes el texto que contiene.</translation>
    </message>
    <message>
        <source>“{name}” would unpack to far more than any file of texts, and was not read.</source>
        <translation>«{name}» ocuparía al descomprimirse mucho más que cualquier archivo de textos, y no se ha leído.</translation>
    </message>
    <message>
        <source>Unpack it yourself if you trust it.</source>
        <translation>Si te fías de él, descomprímelo tú.</translation>
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
        <translation>en uso</translation>
    </message>
    <message>
        <source>in this model too, not in use</source>
        <translation>también en este modelo, sin usar</translation>
    </message>
    <message>
        <source>not in this model</source>
        <translation>no está en este modelo</translation>
    </message>
    <message>
        <source>Afrikaans</source>
        <translation>afrikáans</translation>
    </message>
    <message>
        <source>Arabic</source>
        <translation>árabe</translation>
    </message>
    <message>
        <source>Azerbaijani</source>
        <translation>azerbaiyano</translation>
    </message>
    <message>
        <source>Belarusian</source>
        <translation>bielorruso</translation>
    </message>
    <message>
        <source>Bulgarian</source>
        <translation>búlgaro</translation>
    </message>
    <message>
        <source>Bengali</source>
        <translation>bengalí</translation>
    </message>
    <message>
        <source>Bosnian</source>
        <translation>bosnio</translation>
    </message>
    <message>
        <source>Catalan</source>
        <translation>catalán</translation>
    </message>
    <message>
        <source>Czech</source>
        <translation>checo</translation>
    </message>
    <message>
        <source>Welsh</source>
        <translation>galés</translation>
    </message>
    <message>
        <source>Danish</source>
        <translation>danés</translation>
    </message>
    <message>
        <source>German</source>
        <translation>alemán</translation>
    </message>
    <message>
        <source>Greek</source>
        <translation>griego</translation>
    </message>
    <message>
        <source>English</source>
        <translation>inglés</translation>
    </message>
    <message>
        <source>Spanish</source>
        <translation>español</translation>
    </message>
    <message>
        <source>Estonian</source>
        <translation>estonio</translation>
    </message>
    <message>
        <source>Basque</source>
        <translation>euskera</translation>
    </message>
    <message>
        <source>Persian</source>
        <translation>persa</translation>
    </message>
    <message>
        <source>Finnish</source>
        <translation>finés</translation>
    </message>
    <message>
        <source>French</source>
        <translation>francés</translation>
    </message>
    <message>
        <source>Irish</source>
        <translation>irlandés</translation>
    </message>
    <message>
        <source>Galician</source>
        <translation>gallego</translation>
    </message>
    <message>
        <source>Gujarati</source>
        <translation>guyaratí</translation>
    </message>
    <message>
        <source>Hebrew</source>
        <translation>hebreo</translation>
    </message>
    <message>
        <source>Hindi</source>
        <translation>hindi</translation>
    </message>
    <message>
        <source>Croatian</source>
        <translation>croata</translation>
    </message>
    <message>
        <source>Hungarian</source>
        <translation>húngaro</translation>
    </message>
    <message>
        <source>Armenian</source>
        <translation>armenio</translation>
    </message>
    <message>
        <source>Indonesian</source>
        <translation>indonesio</translation>
    </message>
    <message>
        <source>Icelandic</source>
        <translation>islandés</translation>
    </message>
    <message>
        <source>Italian</source>
        <translation>italiano</translation>
    </message>
    <message>
        <source>Japanese</source>
        <translation>japonés</translation>
    </message>
    <message>
        <source>Georgian</source>
        <translation>georgiano</translation>
    </message>
    <message>
        <source>Kazakh</source>
        <translation>kazajo</translation>
    </message>
    <message>
        <source>Khmer</source>
        <translation>jemer</translation>
    </message>
    <message>
        <source>Kannada</source>
        <translation>canarés</translation>
    </message>
    <message>
        <source>Korean</source>
        <translation>coreano</translation>
    </message>
    <message>
        <source>Latin</source>
        <translation>latín</translation>
    </message>
    <message>
        <source>Lao</source>
        <translation>lao</translation>
    </message>
    <message>
        <source>Lithuanian</source>
        <translation>lituano</translation>
    </message>
    <message>
        <source>Latvian</source>
        <translation>letón</translation>
    </message>
    <message>
        <source>Macedonian</source>
        <translation>macedonio</translation>
    </message>
    <message>
        <source>Malayalam</source>
        <translation>malayálam</translation>
    </message>
    <message>
        <source>Mongolian</source>
        <translation>mongol</translation>
    </message>
    <message>
        <source>Marathi</source>
        <translation>maratí</translation>
    </message>
    <message>
        <source>Malay</source>
        <translation>malayo</translation>
    </message>
    <message>
        <source>many languages</source>
        <translation>muchos idiomas</translation>
    </message>
    <message>
        <source>Burmese</source>
        <translation>birmano</translation>
    </message>
    <message>
        <source>Norwegian (Bokmål)</source>
        <translation>noruego (bokmål)</translation>
    </message>
    <message>
        <source>Nepali</source>
        <translation>nepalí</translation>
    </message>
    <message>
        <source>Dutch</source>
        <translation>neerlandés</translation>
    </message>
    <message>
        <source>Norwegian (Nynorsk)</source>
        <translation>noruego (nynorsk)</translation>
    </message>
    <message>
        <source>Norwegian</source>
        <translation>noruego</translation>
    </message>
    <message>
        <source>Punjabi</source>
        <translation>punyabí</translation>
    </message>
    <message>
        <source>Polish</source>
        <translation>polaco</translation>
    </message>
    <message>
        <source>Portuguese</source>
        <translation>portugués</translation>
    </message>
    <message>
        <source>Romanian</source>
        <translation>rumano</translation>
    </message>
    <message>
        <source>Russian</source>
        <translation>ruso</translation>
    </message>
    <message>
        <source>Sinhala</source>
        <translation>cingalés</translation>
    </message>
    <message>
        <source>Slovak</source>
        <translation>eslovaco</translation>
    </message>
    <message>
        <source>Slovenian</source>
        <translation>esloveno</translation>
    </message>
    <message>
        <source>Albanian</source>
        <translation>albanés</translation>
    </message>
    <message>
        <source>Serbian</source>
        <translation>serbio</translation>
    </message>
    <message>
        <source>Swedish</source>
        <translation>sueco</translation>
    </message>
    <message>
        <source>Swahili</source>
        <translation>suajili</translation>
    </message>
    <message>
        <source>Tamil</source>
        <translation>tamil</translation>
    </message>
    <message>
        <source>Telugu</source>
        <translation>telugu</translation>
    </message>
    <message>
        <source>Thai</source>
        <translation>tailandés</translation>
    </message>
    <message>
        <source>Tagalog</source>
        <translation>tagalo</translation>
    </message>
    <message>
        <source>Turkish</source>
        <translation>turco</translation>
    </message>
    <message>
        <source>Ukrainian</source>
        <translation>ucraniano</translation>
    </message>
    <message>
        <source>Urdu</source>
        <translation>urdu</translation>
    </message>
    <message>
        <source>Uzbek</source>
        <translation>uzbeko</translation>
    </message>
    <message>
        <source>Vietnamese</source>
        <translation>vietnamita</translation>
    </message>
    <message>
        <source>Chinese</source>
        <translation>chino</translation>
    </message>
    <message numerus="yes">
        <source>{n} language</source>
        <comment>{n} languages</comment>
        <translation>
            <numerusform>{n} idioma</numerusform>
            <numerusform>{n} idiomas</numerusform>
        </translation>
    </message>
    <message>
        <source>It is read with the next update.</source>
        <translation>Se leerá en la próxima actualización.</translation>
    </message>
    <message>
        <source>It holds no text.</source>
        <translation>No contiene texto.</translation>
    </message>
    <message>
        <source>It needs a password.</source>
        <translation>Necesita una contraseña.</translation>
    </message>
    <message>
        <source>It could not be read.</source>
        <translation>No se ha podido leer.</translation>
    </message>
    <message>
        <source>It is not there any more.</source>
        <translation>Ya no está ahí.</translation>
    </message>
    <message>
        <source>It has changed; until the next update it is searched as it was.</source>
        <translation>Ha cambiado; hasta la próxima actualización se busca en su versión anterior.</translation>
    </message>
    <message>
        <source>{files}, {n:,} in part</source>
        <translation>{files}, {n:,} de ellos en parte</translation>
    </message>
    <message>
        <source>No files yet</source>
        <translation>Aún no hay archivos</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} file read</source>
        <comment>{n:,} files read</comment>
        <translation>
            <numerusform>{n:,} archivo leído</numerusform>
            <numerusform>{n:,} archivos leídos</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{read:,} of {n:,} file read</source>
        <comment>{read:,} of {n:,} files read</comment>
        <translation>
            <numerusform>{read:,} de {n:,} archivo leído</numerusform>
            <numerusform>{read:,} de {n:,} archivos leídos</numerusform>
        </translation>
    </message>
    <message>
        <source>“{folder}” is not there now; what was read from it can still be asked.</source>
        <translation>«{folder}» no está disponible ahora; aún se puede preguntar sobre lo que se leyó de ahí.</translation>
    </message>
    <message>
        <source>“{folder}” could not be opened.</source>
        <translation>No se ha podido abrir «{folder}».</translation>
    </message>
    <message numerus="yes">
        <source>“{folder}” and {n:,} other folder could not be opened.</source>
        <comment>“{folder}” and {n:,} other folders could not be opened.</comment>
        <translation>
            <numerusform>No se han podido abrir «{folder}» ni {n:,} carpeta más.</numerusform>
            <numerusform>No se han podido abrir «{folder}» ni {n:,} carpetas más.</numerusform>
        </translation>
    </message>
    <message>
        <source>one of its own: see its page</source>
        <translation>propia: véase su página</translation>
    </message>
    <message>
        <source>Answers a question from a text</source>
        <translation>Responde a preguntas sobre un texto</translation>
    </message>
    <message>
        <source>question answering</source>
        <translation>respuesta a preguntas</translation>
    </message>
    <message>
        <source>Tells which class a text is of</source>
        <translation>Dice de qué clase es un texto</translation>
    </message>
    <message>
        <source>sequence classification</source>
        <translation>clasificación de secuencias</translation>
    </message>
    <message>
        <source>Fills in hidden words</source>
        <translation>Completa palabras ocultas</translation>
    </message>
    <message>
        <source>masked language model</source>
        <translation>modelo de lenguaje enmascarado</translation>
    </message>
    <message>
        <source>Tells whether a text follows another</source>
        <translation>Dice si un texto continúa otro</translation>
    </message>
    <message>
        <source>next sentence prediction</source>
        <translation>predicción de la frase siguiente</translation>
    </message>
    <message>
        <source>Finds names</source>
        <translation>Encuentra nombres</translation>
    </message>
    <message>
        <source>token classification</source>
        <translation>clasificación de tokens</translation>
    </message>
    <message>
        <source>Finds passages by meaning</source>
        <translation>Encuentra pasajes por su significado</translation>
    </message>
    <message>
        <source>sentence embeddings</source>
        <translation>embeddings de frases</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Apple GPU</source>
        <translation>GPU de Apple</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>People</source>
        <translation>Personas</translation>
    </message>
    <message>
        <source>Places</source>
        <translation>Lugares</translation>
    </message>
    <message>
        <source>Countries and cities</source>
        <translation>Países y ciudades</translation>
    </message>
    <message>
        <source>Buildings</source>
        <translation>Edificios</translation>
    </message>
    <message>
        <source>Organisations</source>
        <translation>Organizaciones</translation>
    </message>
    <message>
        <source>Companies</source>
        <translation>Empresas</translation>
    </message>
    <message>
        <source>Groups</source>
        <translation>Grupos</translation>
    </message>
    <message>
        <source>Peoples, faiths, parties</source>
        <translation>Pueblos, credos, partidos</translation>
    </message>
    <message>
        <source>Other names</source>
        <translation>Otros nombres</translation>
    </message>
    <message>
        <source>Products</source>
        <translation>Productos</translation>
    </message>
    <message>
        <source>Works</source>
        <translation>Obras</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>Acontecimientos</translation>
    </message>
    <message>
        <source>Laws</source>
        <translation>Leyes</translation>
    </message>
    <message>
        <source>Languages</source>
        <translation>Idiomas</translation>
    </message>
    <message>
        <source>Dates</source>
        <translation>Fechas</translation>
    </message>
    <message>
        <source>Times</source>
        <translation>Horas</translation>
    </message>
    <message>
        <source>Sums of money</source>
        <translation>Sumas de dinero</translation>
    </message>
    <message>
        <source>Percentages</source>
        <translation>Porcentajes</translation>
    </message>
    <message>
        <source>Quantities</source>
        <translation>Cantidades</translation>
    </message>
    <message>
        <source>Ordinal numbers</source>
        <translation>Números ordinales</translation>
    </message>
    <message>
        <source>Numbers</source>
        <translation>Números</translation>
    </message>
    <message>
        <source>first word</source>
        <translation>primera palabra</translation>
    </message>
    <message>
        <source>next word</source>
        <translation>palabra siguiente</translation>
    </message>
    <message>
        <source>last word</source>
        <translation>última palabra</translation>
    </message>
    <message>
        <source>only word</source>
        <translation>única palabra</translation>
    </message>
    <message>
        <source>no name ({tag})</source>
        <translation>no es un nombre ({tag})</translation>
    </message>
    <message>
        <source>{type}, {place} ({tag})</source>
        <translation>{type}, {place} ({tag})</translation>
    </message>
    <message>
        <source>The document has no pages.</source>
        <translation>El documento no tiene páginas.</translation>
    </message>
    <message>
        <source>There are no words to mark.</source>
        <translation>No hay palabras que resaltar.</translation>
    </message>
    <message>
        <source>The font of these words does not say which letters they are.</source>
        <translation>La fuente de estas palabras no indica qué letras son.</translation>
    </message>
    <message>
        <source>Some of these words are not drawn on the page.</source>
        <translation>Algunas de estas palabras no están dibujadas en la página.</translation>
    </message>
    <message>
        <source>Other words lie over these on the page.</source>
        <translation>Otras palabras tapan a estas en la página.</translation>
    </message>
    <message>
        <source>The page does not say exactly these words.</source>
        <translation>La página no dice exactamente estas palabras.</translation>
    </message>
    <message>
        <source>Row: {row} · Column: {column}</source>
        <translation>Fila: {row} · Columna: {column}</translation>
    </message>
    <message>
        <source>Row: {row}</source>
        <translation>Fila: {row}</translation>
    </message>
    <message>
        <source>Column: {column}</source>
        <translation>Columna: {column}</translation>
    </message>
    <message>
        <source>The announcement of new versions is in a newer form than this Spanlight reads.</source>
        <translation>El anuncio de versiones nuevas está en un formato más reciente que los que lee esta versión de Spanlight.</translation>
    </message>
    <message>
        <source>Look on the page that Spanlight came from.</source>
        <translation>Mira en la página de la que procede Spanlight.</translation>
    </message>
    <message>
        <source>What is at that address does not announce versions of Spanlight.</source>
        <translation>Lo que hay en esa dirección no anuncia versiones de Spanlight.</translation>
    </message>
    <message>
        <source>Check the address.</source>
        <translation>Comprueba la dirección.</translation>
    </message>
    <message>
        <source>Paragraphs</source>
        <translation>Párrafos</translation>
    </message>
    <message>
        <source>Long documents</source>
        <translation>Documentos largos</translation>
    </message>
    <message>
        <source>Tables</source>
        <translation>Tablas</translation>
    </message>
    <message>
        <source>{kind}: off by less than 1 point on average ({questions})</source>
        <translation>{kind}: desvío medio de menos de 1 punto ({questions})</translation>
    </message>
    <message numerus="yes">
        <source>{kind}: off by {n} point on average ({questions})</source>
        <comment>{kind}: off by {n} points on average ({questions})</comment>
        <translation>
            <numerusform>{kind}: desvío medio de {n} punto ({questions})</numerusform>
            <numerusform>{kind}: desvío medio de {n} puntos ({questions})</numerusform>
        </translation>
    </message>
    <message>
        <source>There is no text to classify.</source>
        <translation>No hay ningún texto que clasificar.</translation>
    </message>
    <message>
        <source>There is no blank to fill in.</source>
        <translation>No hay ningún hueco que completar.</translation>
    </message>
    <message>
        <source>Put {blank} where a word is missing.</source>
        <translation>Pon {blank} donde falte una palabra.</translation>
    </message>
    <message>
        <source>There are no passages to compare.</source>
        <translation>No hay pasajes que comparar.</translation>
    </message>
    <message>
        <source>Type or paste two first.</source>
        <translation>Escribe o pega dos primero.</translation>
    </message>
    <message>
        <source>Type or paste something there.</source>
        <translation>Escribe o pega algo ahí.</translation>
    </message>
    <message>
        <source>There is no text to look for names in.</source>
        <translation>No hay ningún texto en el que buscar nombres.</translation>
    </message>
    <message>
        <source>The first passage is empty.</source>
        <translation>El primer pasaje está vacío.</translation>
    </message>
    <message>
        <source>The second passage is empty.</source>
        <translation>El segundo pasaje está vacío.</translation>
    </message>
    <message>
        <source>The first passage of pair {number} of {pairs} is empty.</source>
        <translation>El primer pasaje del par {number} de {pairs} está vacío.</translation>
    </message>
    <message>
        <source>The second passage of pair {number} of {pairs} is empty.</source>
        <translation>El segundo pasaje del par {number} de {pairs} está vacío.</translation>
    </message>
    <message>
        <source>Type or paste one first.</source>
        <translation>Escribe o pega uno primero.</translation>
    </message>
    <message>
        <source>The text is empty.</source>
        <translation>El texto está vacío.</translation>
    </message>
    <message>
        <source>Text {number} of {texts} is empty.</source>
        <translation>El texto {number} de {texts} está vacío.</translation>
    </message>
    <message>
        <source>Type something, or leave it out.</source>
        <translation>Escribe algo o quítalo.</translation>
    </message>
    <message>
        <source>Line {line} of {file} has no text under “{name}”.</source>
        <translation>La línea {line} de {file} no tiene texto en «{name}».</translation>
    </message>
    <message>
        <source>Every row must be an object with &quot;{name}&quot;.</source>
        <translation>Cada fila tiene que ser un objeto con «{name}».</translation>
    </message>
    <message>
        <source>Line {number} of {file} is not a JSON object.</source>
        <translation>La línea {number} de {file} no es un objeto JSON.</translation>
    </message>
    <message>
        <source>The file must be JSON Lines in UTF-8.</source>
        <translation>El archivo tiene que ser JSON Lines en UTF-8.</translation>
    </message>
    <message>
        <source>This system is too old for Spanlight, which needs the C library (glibc {version} or newer).</source>
        <translation>Este sistema es demasiado antiguo para Spanlight, que necesita la biblioteca de C (glibc {version} o posterior).</translation>
    </message>
    <message>
        <source>This system is too old for Spanlight, which needs the C++ library (GLIBCXX {version} or newer).</source>
        <translation>Este sistema es demasiado antiguo para Spanlight, que necesita la biblioteca de C++ (GLIBCXX {version} o posterior).</translation>
    </message>
    <message>
        <source>Install it on a newer release of the system.</source>
        <translation>Instálalo en una versión más reciente del sistema.</translation>
    </message>
    <message>
        <source>Spanlight is not whole: {name} is missing.</source>
        <translation>Spanlight está incompleto: falta {name}.</translation>
    </message>
    <message>
        <source>Install your system&apos;s package that brings it.</source>
        <translation>Instala el paquete de tu sistema que la incluye.</translation>
    </message>
    <message>
        <source>To install it: sudo apt install {package}</source>
        <translation>Para instalarla: sudo apt install {package}</translation>
    </message>
    <message>
        <source>The system&apos;s library {name} is missing, which Spanlight needs.</source>
        <translation>Falta la biblioteca del sistema {name}, que Spanlight necesita.</translation>
    </message>
    <message>
        <source>Spanlight is not whole: {name} is broken ({reason}).</source>
        <translation>Spanlight está incompleto: {name} no funciona ({reason}).</translation>
    </message>
    <message>
        <source>Spanlight is not whole: {reason}.</source>
        <translation>Spanlight está incompleto: {reason}.</translation>
    </message>
    <message>
        <source>Get the code once more, delete the folder .venv beside it, and start again: {command}</source>
        <translation>Descarga el código de nuevo, elimina la carpeta .venv que está a su lado y vuelve a iniciar Spanlight: {command}</translation>
    </message>
    <message>
        <source>Install it again.</source>
        <translation>Vuelve a instalarlo.</translation>
    </message>
    <message>
        <source>Reading the page</source>
        <translation>Leyendo la página</translation>
    </message>
    <message>
        <source>What is nested more than {levels} deep is shown as plain paragraphs.</source>
        <translation>Lo anidado a más de {levels} niveles se muestra como párrafos sencillos.</translation>
    </message>
    <message>
        <source>Reading the text</source>
        <translation>Leyendo el texto</translation>
    </message>
    <message>
        <source>This PDF is pictures of pages: it holds no text to read.</source>
        <translation>Este PDF son imágenes de páginas: no contiene texto que leer.</translation>
    </message>
    <message>
        <source>The pages of this PDF are empty.</source>
        <translation>Las páginas de este PDF están vacías.</translation>
    </message>
    <message>
        <source>This PDF is damaged: it was read as far as it goes, and some of it may be wrong.</source>
        <translation>Este PDF está dañado: se ha leído hasta donde se ha podido, y puede haber errores.</translation>
    </message>
    <message>
        <source>“{name}” is no longer where it was.</source>
        <translation>«{name}» ya no está donde estaba.</translation>
    </message>
    <message>
        <source>Open it again from its folder.</source>
        <translation>Ábrelo otra vez desde su carpeta.</translation>
    </message>
    <message>
        <source>its disk is at fault</source>
        <translation>el fallo está en su disco</translation>
    </message>
    <message>
        <source>Check the file and its folder.</source>
        <translation>Comprueba el archivo y su carpeta.</translation>
    </message>
    <message>
        <source>The password does not fit “{name}”.</source>
        <translation>La contraseña no es la de «{name}».</translation>
    </message>
    <message>
        <source>Type it again.</source>
        <translation>Escríbela otra vez.</translation>
    </message>
    <message>
        <source>“{name}” asks for a password.</source>
        <translation>«{name}» pide una contraseña.</translation>
    </message>
    <message>
        <source>Type the password that it was locked with.</source>
        <translation>Escribe la contraseña con la que se protegió.</translation>
    </message>
    <message>
        <source>“{name}” is locked in a way that cannot be opened here.</source>
        <translation>«{name}» está protegido de una forma que no se puede abrir aquí.</translation>
    </message>
    <message>
        <source>Save a copy without the lock in the program that opens it.</source>
        <translation>Guarda una copia sin protección en el programa que lo abre.</translation>
    </message>
    <message>
        <source>“{name}” has no pages.</source>
        <translation>«{name}» no tiene páginas.</translation>
    </message>
    <message>
        <source>“{name}” has {n:,.0f} million pixels, and a picture may have at most {most:,.0f} million.</source>
        <translation>«{name}» tiene {n:,.0f} millones de píxeles, y una imagen puede tener como máximo {most:,.0f} millones.</translation>
    </message>
    <message>
        <source>Save it smaller, and open that.</source>
        <translation>Guárdala más pequeña y abre esa copia.</translation>
    </message>
    <message>
        <source>“{name}” is a picture of a kind that is not read here: {kind}.</source>
        <translation>«{name}» es una imagen de un tipo que aquí no se lee: {kind}.</translation>
    </message>
    <message>
        <source>Save it as plain PNG or JPEG, and open that.</source>
        <translation>Guárdala como PNG o JPEG corriente y abre esa copia.</translation>
    </message>
    <message>
        <source>Get or save the file again.</source>
        <translation>Vuelve a descargar o a guardar el archivo.</translation>
    </message>
    <message>
        <source>“{name}” is a damaged picture.</source>
        <translation>«{name}» es una imagen dañada.</translation>
    </message>
    <message>
        <source>“{name}” is damaged, and no page of it can be read.</source>
        <translation>«{name}» está dañado y no se puede leer ninguna de sus páginas.</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} page</source>
        <comment>{n:,} pages</comment>
        <translation>
            <numerusform>{n:,} página</numerusform>
            <numerusform>{n:,} páginas</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} of {pages} could not be read.</source>
        <comment>{n:,} of {pages} could not be read.</comment>
        <translation>
            <numerusform>No se ha podido leer {n:,} de {pages}.</numerusform>
            <numerusform>No se han podido leer {n:,} de {pages}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The text of the page was recognised in its picture.</source>
        <comment>The text of all {n:,} pages was recognised in their pictures.</comment>
        <translation>
            <numerusform>El texto de la página se ha reconocido en su imagen.</numerusform>
            <numerusform>El texto de las {n:,} páginas se ha reconocido en sus imágenes.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The text of {n:,} of {pages} was recognised in its picture.</source>
        <comment>The text of {n:,} of {pages} was recognised in their pictures.</comment>
        <translation>
            <numerusform>El texto de {n:,} página (de {pages} en total) se ha reconocido en su imagen.</numerusform>
            <numerusform>El texto de {n:,} páginas (de {pages} en total) se ha reconocido en sus imágenes.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} of {pages} is a picture and holds no text.</source>
        <comment>{n:,} of {pages} are pictures and hold no text.</comment>
        <translation>
            <numerusform>{n:,} de {pages} es una imagen y no contiene texto.</numerusform>
            <numerusform>{n:,} de {pages} son imágenes y no contienen texto.</numerusform>
        </translation>
    </message>
    <message>
        <source>Page {page} cannot be read.</source>
        <translation>No se puede leer la página {page}.</translation>
    </message>
    <message>
        <source>“{name}” has changed since it was opened.</source>
        <translation>«{name}» ha cambiado desde que se abrió.</translation>
    </message>
    <message>
        <source>Read it again.</source>
        <translation>Vuelve a leerlo.</translation>
    </message>
    <message>
        <source>Page {page} is too large to be drawn at this size.</source>
        <translation>La página {page} es demasiado grande para dibujarla a este tamaño.</translation>
    </message>
    <message>
        <source>Make it smaller on the screen.</source>
        <translation>Redúcela en la pantalla.</translation>
    </message>
    <message>
        <source>The copy must not take the place of the original.</source>
        <translation>La copia no puede sustituir al original.</translation>
    </message>
    <message>
        <source>Give it another name or folder.</source>
        <translation>Dale otro nombre u otra carpeta.</translation>
    </message>
    <message>
        <source>highlights</source>
        <translation>resaltados</translation>
    </message>
    <message>
        <source>Reading pages</source>
        <translation>Leyendo páginas</translation>
    </message>
    <message>
        <source>“{name}” is not a text file.</source>
        <translation>«{name}» no es un archivo de texto.</translation>
    </message>
    <message>
        <source>Open a text, a PDF, a Word file or a web page.</source>
        <translation>Abre un texto, un PDF, un archivo de Word o una página web.</translation>
    </message>
    <message>
        <source>Reading {name}</source>
        <translation>Leyendo {name}</translation>
    </message>
    <message>
        <source>“{name}” was changed while it was read.</source>
        <translation>«{name}» ha cambiado mientras se leía.</translation>
    </message>
    <message>
        <source>Try again once the other program has saved it.</source>
        <translation>Vuelve a intentarlo cuando el otro programa lo haya guardado.</translation>
    </message>
    <message>
        <source>“{name}” holds no text.</source>
        <translation>«{name}» no contiene texto.</translation>
    </message>
    <message>
        <source>Open a file with something to read in it.</source>
        <translation>Abre un archivo que tenga algo que leer.</translation>
    </message>
    <message>
        <source>By its content, “{name}” is {kind}.</source>
        <translation>Por su contenido, «{name}» es {kind}.</translation>
    </message>
    <message>
        <source>“{name}” was changed while it was read; read it again to have it whole.</source>
        <translation>«{name}» ha cambiado mientras se leía; vuelve a leerlo para tenerlo entero.</translation>
    </message>
    <message>
        <source>“{name}” is empty.</source>
        <translation>«{name}» está vacío.</translation>
    </message>
    <message>
        <source>“{name}” is {size} large, and {kind} may have at most {most}.</source>
        <translation>«{name}» ocupa {size}, y el máximo para {kind} es {most}.</translation>
    </message>
    <message>
        <source>Split it, and open the part that matters.</source>
        <translation>Divídelo y abre la parte que importa.</translation>
    </message>
    <message>
        <source>a text</source>
        <translation>un texto</translation>
    </message>
    <message>
        <source>a Markdown file</source>
        <translation>un archivo Markdown</translation>
    </message>
    <message>
        <source>a PDF</source>
        <translation>un PDF</translation>
    </message>
    <message>
        <source>a Word file</source>
        <translation>un archivo de Word</translation>
    </message>
    <message>
        <source>an OpenDocument text</source>
        <translation>un texto de OpenDocument</translation>
    </message>
    <message>
        <source>a rich text file</source>
        <translation>un archivo de texto enriquecido</translation>
    </message>
    <message>
        <source>an OpenDocument presentation</source>
        <translation>una presentación de OpenDocument</translation>
    </message>
    <message>
        <source>an OpenDocument spreadsheet</source>
        <translation>una hoja de cálculo de OpenDocument</translation>
    </message>
    <message>
        <source>a table as text (CSV)</source>
        <translation>una tabla como texto (CSV)</translation>
    </message>
    <message>
        <source>a web page</source>
        <translation>una página web</translation>
    </message>
    <message>
        <source>Markdown</source>
        <translation>Markdown</translation>
    </message>
    <message>
        <source>text</source>
        <translation>texto</translation>
    </message>
    <message>
        <source>a mail</source>
        <translation>un correo</translation>
    </message>
    <message>
        <source>a mailbox</source>
        <translation>un buzón de correo</translation>
    </message>
    <message>
        <source>a mail that Outlook saved</source>
        <translation>un correo guardado por Outlook</translation>
    </message>
    <message>
        <source>Save it as PNG or JPEG, and open that.</source>
        <translation>Guárdala como PNG o JPEG y abre esa copia.</translation>
    </message>
    <message>
        <source>a picture</source>
        <translation>una imagen</translation>
    </message>
    <message>
        <source>a packed file</source>
        <translation>un archivo comprimido</translation>
    </message>
    <message>
        <source>a packed file (.zip)</source>
        <translation>un archivo comprimido (.zip)</translation>
    </message>
    <message>
        <source>sound or film</source>
        <translation>sonido o vídeo</translation>
    </message>
    <message>
        <source>a database</source>
        <translation>una base de datos</translation>
    </message>
    <message>
        <source>an Excel file</source>
        <translation>un archivo de Excel</translation>
    </message>
    <message>
        <source>a PowerPoint file</source>
        <translation>un archivo de PowerPoint</translation>
    </message>
    <message>
        <source>an old Excel file (.xls)</source>
        <translation>un archivo de Excel antiguo (.xls)</translation>
    </message>
    <message>
        <source>an old PowerPoint file (.ppt)</source>
        <translation>un archivo de PowerPoint antiguo (.ppt)</translation>
    </message>
    <message>
        <source>It may be damaged. Open it in the program that made it, and save it again.</source>
        <translation>Puede estar dañado. Ábrelo en el programa con el que se creó y guárdalo de nuevo.</translation>
    </message>
    <message>
        <source>an EPUB book</source>
        <translation>un libro EPUB</translation>
    </message>
    <message>
        <source>an OpenDocument file</source>
        <translation>un archivo OpenDocument</translation>
    </message>
    <message>
        <source>an old Word file (.doc)</source>
        <translation>un archivo de Word antiguo (.doc)</translation>
    </message>
    <message>
        <source>an old Office file</source>
        <translation>un archivo de Office antiguo</translation>
    </message>
    <message>
        <source>“{name}” does not begin as {kind} does.</source>
        <translation>«{name}» no empieza como {kind}.</translation>
    </message>
    <message>
        <source>“{name}” is broken: parts of it are missing.</source>
        <translation>«{name}» está incompleto: le faltan partes.</translation>
    </message>
    <message>
        <source>Unpack it, and open what is in it.</source>
        <translation>Descomprímelo y abre lo que contiene.</translation>
    </message>
    <message>
        <source>Save it as PDF, as Word file (.docx) or as text, and open that.</source>
        <translation>Guárdalo como PDF, como archivo de Word (.docx) o como texto, y ábrelo.</translation>
    </message>
    <message>
        <source>“{name}” is {what}, which cannot be read.</source>
        <translation>«{name}» es {what}, y eso no se puede leer.</translation>
    </message>
    <message>
        <source>Reading the slides</source>
        <translation>Leyendo las diapositivas</translation>
    </message>
    <message>
        <source>Opening the document</source>
        <translation>Abriendo el documento</translation>
    </message>
    <message>
        <source>“{name}” is not what its type says.</source>
        <translation>«{name}» no es lo que dice su tipo.</translation>
    </message>
    <message>
        <source>Open a file that LibreOffice can open.</source>
        <translation>Abre un archivo que LibreOffice pueda abrir.</translation>
    </message>
    <message>
        <source>“{name}” is not a Word document.</source>
        <translation>«{name}» no es un documento de Word.</translation>
    </message>
    <message>
        <source>Open a .docx file that Word can open.</source>
        <translation>Abre un archivo .docx que Word pueda abrir.</translation>
    </message>
    <message>
        <source>Opening the book</source>
        <translation>Abriendo el libro</translation>
    </message>
    <message>
        <source>“{name}” is not an EPUB book.</source>
        <translation>«{name}» no es un libro EPUB.</translation>
    </message>
    <message>
        <source>Reading the book</source>
        <translation>Leyendo el libro</translation>
    </message>
    <message>
        <source>The file is damaged: what could be read of it is shown.</source>
        <translation>El archivo está dañado: se muestra lo que se ha podido leer de él.</translation>
    </message>
    <message>
        <source>The book is too long: {read:,} of its {all:,} parts are shown.</source>
        <translation>El libro es demasiado largo: se muestran {read:,} de sus {all:,} partes.</translation>
    </message>
    <message>
        <source>“{name}” is protected against copying (DRM), and cannot be read.</source>
        <translation>«{name}» está protegido contra copia (DRM) y no se puede leer.</translation>
    </message>
    <message>
        <source>Read it in the program that it was bought for, or get a copy without protection.</source>
        <translation>Léelo en el programa para el que se compró o consigue una copia sin protección.</translation>
    </message>
    <message>
        <source>Reading the document</source>
        <translation>Leyendo el documento</translation>
    </message>
    <message>
        <source>“{name}” holds declarations that no document needs, and was not opened.</source>
        <translation>«{name}» contiene declaraciones que ningún documento necesita, y no se ha abierto.</translation>
    </message>
    <message>
        <source>Open it in the program that wrote it and save it anew, if you trust it.</source>
        <translation>Si te fías de él, ábrelo en el programa que lo creó y vuelve a guardarlo.</translation>
    </message>
    <message>
        <source>“{name}” holds more than {most:,} packed files, which no document does.</source>
        <translation>«{name}» contiene más de {most:,} archivos comprimidos, algo impropio de un documento.</translation>
    </message>
    <message>
        <source>Unpack it with another program, and open the files that matter.</source>
        <translation>Descomprímelo con otro programa y abre los archivos que importan.</translation>
    </message>
    <message>
        <source>“{name}” holds files that would be unpacked outside of it, and was not opened.</source>
        <translation>«{name}» contiene archivos que se descomprimirían fuera de él, y no se ha abierto.</translation>
    </message>
    <message>
        <source>“{name}” is protected with a password, which only the program that set it can take off.</source>
        <translation>«{name}» está protegido con una contraseña que solo puede quitar el programa que la puso.</translation>
    </message>
    <message>
        <source>Open it there, save a copy without a password, and open that.</source>
        <translation>Ábrelo en ese programa, guarda una copia sin contraseña y abre la copia.</translation>
    </message>
    <message>
        <source>“{name}” is of an old Office that is not read.</source>
        <translation>«{name}» es de una versión antigua de Office que no se lee.</translation>
    </message>
    <message>
        <source>Open it in a newer one and save it anew, as .docx or .pptx.</source>
        <translation>Ábrelo en una más reciente y vuelve a guardarlo, como .docx o .pptx.</translation>
    </message>
    <message>
        <source>“{name}” is damaged: nothing of its text could be read.</source>
        <translation>«{name}» está dañado: no se ha podido leer nada de su texto.</translation>
    </message>
    <message>
        <source>“{name}” is no mail that Outlook saved.</source>
        <translation>«{name}» no es un correo guardado por Outlook.</translation>
    </message>
    <message>
        <source>Open it in the program that wrote it, and save it as PDF or as text.</source>
        <translation>Ábrelo en el programa que lo creó y guárdalo como PDF o como texto.</translation>
    </message>
    <message>
        <source>Get it again from where it came.</source>
        <translation>Vuelve a obtenerlo de donde vino.</translation>
    </message>
    <message>
        <source>“{name}” would unpack to far more than a document, and was not opened.</source>
        <translation>«{name}» ocuparía al descomprimirse mucho más que un documento, y no se ha abierto.</translation>
    </message>
    <message>
        <source>The {process} could not be started: {reason}.</source>
        <translation>No se ha podido iniciar el {process}: {reason}.</translation>
    </message>
    <message>
        <source>Close other programs and try again.</source>
        <translation>Cierra otros programas y vuelve a intentarlo.</translation>
    </message>
    <message>
        <source>The {process} ended while it was at work.</source>
        <translation>El {process} se ha cerrado mientras trabajaba.</translation>
    </message>
    <message>
        <source>The {process} was ended by the system, most likely because memory ran out.</source>
        <translation>El sistema ha cerrado el {process}, muy probablemente porque se ha agotado la memoria.</translation>
    </message>
    <message>
        <source>The {process} used more memory than it is allowed.</source>
        <translation>El {process} ha usado más memoria de la permitida.</translation>
    </message>
    <message>
        <source>The {process} crashed.</source>
        <translation>El {process} ha fallado.</translation>
    </message>
    <message>
        <source>Try again: it starts anew. If it happens again, close other programs.</source>
        <translation>Vuelve a intentarlo: se inicia de nuevo. Si se repite, cierra otros programas.</translation>
    </message>
    <message>
        <source>The GPU broke down: the models now run on the CPU.</source>
        <translation>La GPU ha fallado: los modelos se ejecutan ahora en la CPU.</translation>
    </message>
    <message>
        <source>Trying {name} took too long, so it is not used.</source>
        <translation>La prueba de {name} ha tardado demasiado, así que no se usa.</translation>
    </message>
    <message>
        <source>Choose another model.</source>
        <translation>Elige otro modelo.</translation>
    </message>
    <message>
        <source>{fault}: long texts are read by {name} alone.</source>
        <translation>{fault}: los textos largos los lee solo {name}.</translation>
    </message>
    <message>
        <source>Loading {name}</source>
        <translation>Cargando {name}</translation>
    </message>
    <message>
        <source>{fault}: the text is read in shorter windows of {tokens} tokens.</source>
        <translation>{fault}: el texto se lee en ventanas más cortas, de {tokens} tokens.</translation>
    </message>
    <message>
        <source>{fault}: the model now runs on the CPU.</source>
        <translation>{fault}: el modelo se ejecuta ahora en la CPU.</translation>
    </message>
    <message>
        <source>model process</source>
        <translation>proceso de modelos</translation>
    </message>
    <message>
        <source>modules</source>
        <translation>módulos</translation>
    </message>
    <message>
        <source>The model&apos;s tokenizer failed on this text.</source>
        <translation>El tokenizador del modelo ha fallado con este texto.</translation>
    </message>
    <message>
        <source>Fetch a whole copy of the model, or use another one.</source>
        <translation>Descarga una copia completa del modelo o usa otro.</translation>
    </message>
    <message>
        <source>Loading PyTorch</source>
        <translation>Cargando PyTorch</translation>
    </message>
    <message>
        <source>PyTorch cannot be loaded: {reason}.</source>
        <translation>No se puede cargar PyTorch: {reason}.</translation>
    </message>
    <message>
        <source>This computer has too little free memory for that.</source>
        <translation>Este ordenador tiene muy poca memoria libre para eso.</translation>
    </message>
    <message>
        <source>Close other programs, or give it less at a time.</source>
        <translation>Cierra otros programas o dale menos de una vez.</translation>
    </message>
    <message>
        <source>The text has to be read again.</source>
        <translation>Hay que leer el texto otra vez.</translation>
    </message>
    <message>
        <source>Ask again.</source>
        <translation>Pregunta otra vez.</translation>
    </message>
    <message>
        <source>Fetch a whole copy of this model, or choose another.</source>
        <translation>Descarga una copia completa de este modelo o elige otro.</translation>
    </message>
    <message>
        <source>{name} holds no head that Spanlight can use.</source>
        <translation>{name} no contiene ninguna cabeza que Spanlight pueda usar.</translation>
    </message>
    <message>
        <source>Choose a model that was tuned for a task: to answer, classify, find names or fill in words.</source>
        <translation>Elige un modelo ajustado para una tarea: responder, clasificar, encontrar nombres o completar palabras.</translation>
    </message>
    <message>
        <source>Trying {name}</source>
        <translation>Probando {name}</translation>
    </message>
    <message>
        <source>the trial</source>
        <translation>la prueba</translation>
    </message>
    <message>
        <source>{name} does not work when it is to answer questions.</source>
        <translation>{name} no funciona para responder a preguntas.</translation>
    </message>
    <message>
        <source>{name} does not work when it is to classify texts.</source>
        <translation>{name} no funciona para clasificar textos.</translation>
    </message>
    <message>
        <source>{name} does not work when it is to fill in words.</source>
        <translation>{name} no funciona para completar palabras.</translation>
    </message>
    <message>
        <source>{name} does not work when it is to tell what follows.</source>
        <translation>{name} no funciona para decir si un texto continúa otro.</translation>
    </message>
    <message>
        <source>{name} does not work when it is to find names.</source>
        <translation>{name} no funciona para encontrar nombres.</translation>
    </message>
    <message>
        <source>{name} does not work when it is to find passages by meaning.</source>
        <translation>{name} no funciona para encontrar pasajes por su significado.</translation>
    </message>
    <message>
        <source>The tokenizer of {name} fails on some texts.</source>
        <translation>El tokenizador de {name} falla con algunos textos.</translation>
    </message>
    <message>
        <source>The tokenizer of {name} takes too long for a page of text.</source>
        <translation>El tokenizador de {name} tarda demasiado con una página de texto.</translation>
    </message>
    <message>
        <source>The tokenizer of {name} makes texts longer without end.</source>
        <translation>El tokenizador de {name} alarga los textos sin fin.</translation>
    </message>
    <message>
        <source>The tokenizer of {name} does not tell where in a text its tokens stand.</source>
        <translation>El tokenizador de {name} no dice en qué lugar del texto están sus tokens.</translation>
    </message>
    <message>
        <source>{name} gives scores of a wrong shape.</source>
        <translation>{name} da puntuaciones de forma incorrecta.</translation>
    </message>
    <message>
        <source>{name} gives scores that are no finite numbers.</source>
        <translation>{name} da puntuaciones que no son números finitos.</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Ajustes</translation>
    </message>
    <message>
        <source>Texts, drafts, history</source>
        <translation>Textos, borradores, historial</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelos</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>Registros</translation>
    </message>
    <message>
        <source>“{file}” has none of this table&apos;s questions.</source>
        <translation>«{file}» no tiene ninguna de las preguntas de esta tabla.</translation>
    </message>
    <message>
        <source>Choose the list that was loaded.</source>
        <translation>Elige la lista que se cargó.</translation>
    </message>
    <message>
        <source>Tables cannot be written as “{file}”.</source>
        <translation>Las tablas no se pueden guardar como «{file}».</translation>
    </message>
    <message>
        <source>End the name with {endings} or {last}.</source>
        <translation>Termina el nombre en {endings} o {last}.</translation>
    </message>
    <message>
        <source>The table has more documents than a spreadsheet has columns.</source>
        <translation>La tabla tiene más documentos que columnas una hoja de cálculo.</translation>
    </message>
    <message>
        <source>Export it as CSV.</source>
        <translation>Expórtala como CSV.</translation>
    </message>
    <message>
        <source>The table has more cells than a spreadsheet takes.</source>
        <translation>La tabla tiene más celdas de las que caben en una hoja de cálculo.</translation>
    </message>
    <message>
        <source>Another process is filling the table “{table}”</source>
        <translation>Otro proceso está rellenando la tabla «{table}»</translation>
    </message>
    <message>
        <source>Wait until it is done: what it has read is not read again.</source>
        <translation>Espera a que termine: lo que ya haya leído no se vuelve a leer.</translation>
    </message>
    <message>
        <source>cells</source>
        <translation>celdas</translation>
    </message>
    <message>
        <source>“{file}” has no questions.</source>
        <translation>«{file}» no tiene preguntas.</translation>
    </message>
    <message>
        <source>Write one per line.</source>
        <translation>Escribe una por línea.</translation>
    </message>
    <message>
        <source>Choose another file.</source>
        <translation>Elige otro archivo.</translation>
    </message>
    <message>
        <source>“{file}” is not a spreadsheet that can be read.</source>
        <translation>«{file}» no es una hoja de cálculo que se pueda leer.</translation>
    </message>
    <message>
        <source>Save it as XLSX again, or as CSV.</source>
        <translation>Vuelve a guardarla como XLSX o como CSV.</translation>
    </message>
    <message>
        <source>“{name}” is too large to be read.</source>
        <translation>«{name}» es demasiado grande para leerlo.</translation>
    </message>
    <message>
        <source>Save it as CSV again.</source>
        <translation>Vuelve a guardarlo como CSV.</translation>
    </message>
    <message>
        <source>A table needs a name.</source>
        <translation>Una tabla necesita un nombre.</translation>
    </message>
    <message>
        <source>Type one.</source>
        <translation>Escribe uno.</translation>
    </message>
    <message>
        <source>The table “{name}” is over another library.</source>
        <translation>La tabla «{name}» es de otra biblioteca.</translation>
    </message>
    <message>
        <source>Give it another name.</source>
        <translation>Dale otro nombre.</translation>
    </message>
    <message>
        <source>The library of the table “{table}” was removed.</source>
        <translation>Se ha quitado la biblioteca de la tabla «{table}».</translation>
    </message>
    <message>
        <source>Add its folder again, under the same name.</source>
        <translation>Vuelve a añadir su carpeta con el mismo nombre.</translation>
    </message>
    <message>
        <source>A set of questions needs a name.</source>
        <translation>Un conjunto de preguntas necesita un nombre.</translation>
    </message>
    <message>
        <source>The table has your verdict, but no reader can learn from it: {fault}</source>
        <translation>La tabla tiene tu veredicto, pero ningún lector puede aprender de él: {fault}</translation>
    </message>
    <message>
        <source>There are {number:,} questions; a table holds at most {most:,}.</source>
        <translation>Hay {number:,} preguntas; en una tabla caben como máximo {most:,}.</translation>
    </message>
    <message>
        <source>Split them over several tables.</source>
        <translation>Repártelas en varias tablas.</translation>
    </message>
    <message>
        <source>Yes</source>
        <translation>Sí</translation>
    </message>
    <message>
        <source>No</source>
        <translation>No</translation>
    </message>
    <message>
        <source>documents process</source>
        <translation>proceso de documentos</translation>
    </message>
    <message>
        <source>pages process</source>
        <translation>proceso de páginas</translation>
    </message>
    <message>
        <source>“{name}” could not be read</source>
        <translation>No se ha podido leer «{name}»</translation>
    </message>
    <message>
        <source>recognition process</source>
        <translation>proceso de reconocimiento</translation>
    </message>
    <message>
        <source>The text of “{name}” could not be recognised</source>
        <translation>No se ha podido reconocer el texto de «{name}»</translation>
    </message>
    <message>
        <source>The language was not told</source>
        <translation>No se ha determinado el idioma</translation>
    </message>
    <message>
        <source>The columns could not be added to the spreadsheet</source>
        <translation>No se pudieron añadir las columnas a la hoja de cálculo</translation>
    </message>
    <message>
        <source>Page {number} of “{name}” could not be drawn</source>
        <translation>No se ha podido dibujar la página {number} de «{name}»</translation>
    </message>
    <message>
        <source>“{name}” could not be marked</source>
        <translation>No se ha podido resaltar en «{name}»</translation>
    </message>
    <message>
        <source>{failed}: it takes more than {size} GB of memory.</source>
        <translation>{failed}: necesita más de {size} GB de memoria.</translation>
    </message>
    <message>
        <source>Split it, or open it in another program and save it anew.</source>
        <translation>Divídelo, o ábrelo en otro programa y vuelve a guardarlo.</translation>
    </message>
    <message>
        <source>{failed}: it makes the reader break off.</source>
        <translation>{failed}: interrumpe la lectura.</translation>
    </message>
    <message>
        <source>It may be damaged; open it in another program and save it anew.</source>
        <translation>Puede estar dañado; ábrelo en otro programa y vuelve a guardarlo.</translation>
    </message>
    <message>
        <source>{failed}: after {time} there was no end to it.</source>
        <translation>{failed}: tras {time} no había terminado.</translation>
    </message>
    <message>
        <source>It may be damaged; split it, or open it in another program and save it anew.</source>
        <translation>Puede estar dañado; divídelo, o ábrelo en otro programa y vuelve a guardarlo.</translation>
    </message>
    <message>
        <source>The question is empty.</source>
        <translation>La pregunta está vacía.</translation>
    </message>
    <message>
        <source>Type what you want to know.</source>
        <translation>Escribe lo que quieres saber.</translation>
    </message>
    <message>
        <source>Open or paste a text first.</source>
        <translation>Abre o pega antes un texto.</translation>
    </message>
    <message>
        <source>“{name}” brings {kind} of more than {size}.</source>
        <translation>«{name}» entrega {kind} de más de {size}.</translation>
    </message>
    <message>
        <source>Save it in a file, and open that.</source>
        <translation>Guárdalo en un archivo y ábrelo desde ahí.</translation>
    </message>
    <message>
        <source>Table (CSV)</source>
        <translation>Tabla (CSV)</translation>
    </message>
    <message>
        <source>Tagged words (CoNLL)</source>
        <translation>Palabras etiquetadas (CoNLL)</translation>
    </message>
    <message>
        <source>For programs (JSON)</source>
        <translation>Para programas (JSON)</translation>
    </message>
    <message>
        <source>models</source>
        <translation>modelos</translation>
    </message>
    <message>
        <source>A question: {title}</source>
        <translation>Una pregunta: {title}</translation>
    </message>
    <message>
        <source>A text to classify: {title}</source>
        <translation>Un texto que clasificar: {title}</translation>
    </message>
    <message>
        <source>A sentence with a blank: {title}</source>
        <translation>Una frase con un hueco: {title}</translation>
    </message>
    <message>
        <source>What follows: {title}</source>
        <translation>Frase siguiente: {title}</translation>
    </message>
    <message>
        <source>Names in a text: {title}</source>
        <translation>Nombres en un texto: {title}</translation>
    </message>
    <message>
        <source>Now {likely} (was {was}).</source>
        <translation>Ahora {likely} (antes {was}).</translation>
    </message>
    <message>
        <source>The text still does not say.</source>
        <translation>El texto sigue sin decirlo.</translation>
    </message>
    <message>
        <source>Still no answer in the part that was read.</source>
        <translation>Sigue sin haber respuesta en la parte leída.</translation>
    </message>
    <message>
        <source>The text does not say any more (was “{was}”).</source>
        <translation>El texto ya no lo dice (antes «{was}»).</translation>
    </message>
    <message>
        <source>Now no answer in the part that was read (was “{was}”).</source>
        <translation>Ahora no hay respuesta en la parte leída (antes «{was}»).</translation>
    </message>
    <message>
        <source>Now there is an answer: “{words}”. {likely}.</source>
        <translation>Ahora hay una respuesta: «{words}». {likely}.</translation>
    </message>
    <message>
        <source>Now there are nearest words: “{words}”. {likely}.</source>
        <translation>Ahora hay palabras más cercanas: «{words}». {likely}.</translation>
    </message>
    <message>
        <source>Now there are only nearest words: “{words}” (was “{was}”). {likely}.</source>
        <translation>Ahora solo hay palabras más cercanas: «{words}» (antes «{was}»). {likely}.</translation>
    </message>
    <message>
        <source>Another answer now: “{words}” (was “{was}”). {likely}.</source>
        <translation>Ahora la respuesta es otra: «{words}» (antes «{was}»). {likely}.</translation>
    </message>
    <message>
        <source>Other nearest words now: “{words}” (was “{was}”). {likely}.</source>
        <translation>Ahora las palabras más cercanas son otras: «{words}» (antes «{was}»). {likely}.</translation>
    </message>
    <message>
        <source>The same answer, at the same place.</source>
        <translation>La misma respuesta, en el mismo lugar.</translation>
    </message>
    <message>
        <source>The same nearest words, at the same place.</source>
        <translation>Las mismas palabras más cercanas, en el mismo lugar.</translation>
    </message>
    <message>
        <source>The same answer, at another place: {where}.</source>
        <translation>La misma respuesta, en otro lugar: {where}.</translation>
    </message>
    <message>
        <source>The same answer, at another place.</source>
        <translation>La misma respuesta, en otro lugar.</translation>
    </message>
    <message>
        <source>The same nearest words, at another place: {where}.</source>
        <translation>Las mismas palabras más cercanas, en otro lugar: {where}.</translation>
    </message>
    <message>
        <source>The same nearest words, at another place.</source>
        <translation>Las mismas palabras más cercanas, en otro lugar.</translation>
    </message>
    <message>
        <source>{kind} is not text.</source>
        <translation>{kind} no es texto.</translation>
    </message>
    <message>
        <source>Name a file that it is to be written to.</source>
        <translation>Indica un archivo en el que guardarlo.</translation>
    </message>
    <message>
        <source>There is nothing to export.</source>
        <translation>No hay nada que exportar.</translation>
    </message>
    <message>
        <source>Ask something first, or look for other words.</source>
        <translation>Pregunta algo antes o busca otras palabras.</translation>
    </message>
    <message>
        <source>Page to read (Markdown)</source>
        <translation>Página para leer (Markdown)</translation>
    </message>
    <message>
        <source>Web annotations (JSON)</source>
        <translation>Anotaciones web (JSON)</translation>
    </message>
    <message>
        <source>Questions and answers (SQuAD 2.0)</source>
        <translation>Preguntas y respuestas (SQuAD 2.0)</translation>
    </message>
    <message>
        <source>Highlights in a copy of the PDF</source>
        <translation>Resaltados en una copia del PDF</translation>
    </message>
    <message>
        <source>There is no format “{kind}”.</source>
        <translation>No existe el formato «{kind}».</translation>
    </message>
    <message>
        <source>The formats are: {formats}.</source>
        <translation>Los formatos son: {formats}.</translation>
    </message>
    <message>
        <source>None of these answers stands in a PDF, so there is nothing to mark.</source>
        <translation>Ninguna de estas respuestas está en un PDF, así que no hay nada que resaltar.</translation>
    </message>
    <message>
        <source>Choose another format.</source>
        <translation>Elige otro formato.</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} answer in documents other than PDF left out.</source>
        <comment>{n:,} answers in documents other than PDF left out.</comment>
        <translation>
            <numerusform>Se ha omitido {n:,} respuesta de documentos que no son PDF.</numerusform>
            <numerusform>Se han omitido {n:,} respuestas de documentos que no son PDF.</numerusform>
        </translation>
    </message>
    <message>
        <source>Marking PDFs</source>
        <translation>Resaltando en los PDF</translation>
    </message>
    <message>
        <source>“{words}” on {page} of {document} was not marked: {reason}</source>
        <translation>No se ha resaltado «{words}» ({page} de {document}): {reason}</translation>
    </message>
    <message>
        <source>“{words}” of {document} was not marked: {reason}</source>
        <translation>No se ha resaltado «{words}», de {document}: {reason}</translation>
    </message>
    <message>
        <source>{file} is the document itself.</source>
        <translation>{file} es el propio documento.</translation>
    </message>
    <message>
        <source>Choose another name for the copy.</source>
        <translation>Elige otro nombre para la copia.</translation>
    </message>
    <message>
        <source>{name} has changed since it was asked.</source>
        <translation>{name} ha cambiado desde la pregunta.</translation>
    </message>
    <message>
        <source>Ask again, then export.</source>
        <translation>Pregunta de nuevo y luego exporta.</translation>
    </message>
    <message>
        <source>the file has changed since it was asked.</source>
        <translation>el archivo ha cambiado desde la pregunta.</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} question could not be written: neither the text nor a sentence of it is there any more.</source>
        <comment>{n:,} questions could not be written: neither the text nor a sentence of it is there any more.</comment>
        <translation>
            <numerusform>No se ha podido guardar {n:,} pregunta: ya no existe ni el texto ni una frase suya.</numerusform>
            <numerusform>No se han podido guardar {n:,} preguntas: ya no existe ni el texto ni una frase suya.</numerusform>
        </translation>
    </message>
    <message>
        <source>Reading the documents</source>
        <translation>Leyendo los documentos</translation>
    </message>
    <message>
        <source>{fault} Its kept sentences were written instead.</source>
        <translation>{fault} En su lugar se han escrito sus frases guardadas.</translation>
    </message>
    <message>
        <source>{document} has changed since: its kept sentences were written instead.</source>
        <translation>{document} ha cambiado desde entonces: en su lugar se han escrito sus frases guardadas.</translation>
    </message>
    <message>
        <source>The file is not there any more.</source>
        <translation>El archivo ya no está ahí.</translation>
    </message>
    <message>
        <source>Opening {document}</source>
        <translation>Abriendo {document}</translation>
    </message>
    <message>
        <source>The text is not kept any more.</source>
        <translation>El texto ya no se conserva.</translation>
    </message>
    <message>
        <source>The file has changed since.</source>
        <translation>El archivo ha cambiado desde entonces.</translation>
    </message>
    <message>
        <source>{reader} is not installed any more; {model} has read it.</source>
        <translation>{reader} ya no está instalado; ha leído {model}.</translation>
    </message>
    <message>
        <source>That time: {stopped}.</source>
        <translation>Aquella vez: {stopped}.</translation>
    </message>
    <message>
        <source>{file} is not there any more.</source>
        <translation>{file} ya no está ahí.</translation>
    </message>
    <message>
        <source>It may have been moved or renamed.</source>
        <translation>Puede que se haya movido o renombrado.</translation>
    </message>
    <message>
        <source>The text of {document} is not kept any more.</source>
        <translation>El texto de {document} ya no se conserva.</translation>
    </message>
    <message>
        <source>Paste it again.</source>
        <translation>Pégalo de nuevo.</translation>
    </message>
    <message>
        <source>passages</source>
        <translation>pasajes</translation>
    </message>
    <message>
        <source>Check the folder&apos;s permissions.</source>
        <translation>Comprueba los permisos de la carpeta.</translation>
    </message>
    <message numerus="yes">
        <source>{kinds} and {n:,} other</source>
        <comment>{kinds} and {n:,} others</comment>
        <translation>
            <numerusform>{kinds} y {n:,} más</numerusform>
            <numerusform>{kinds} y {n:,} más</numerusform>
        </translation>
    </message>
    <message>
        <source>“{folder}” cannot be read.</source>
        <translation>No se puede leer «{folder}».</translation>
    </message>
    <message>
        <source>files found</source>
        <translation>archivos encontrados</translation>
    </message>
    <message>
        <source>There is nothing at “{path}”.</source>
        <translation>No hay nada en «{path}».</translation>
    </message>
    <message>
        <source>“{root}” could not be looked at: {reason}.</source>
        <translation>No se ha podido examinar «{root}»: {reason}.</translation>
    </message>
    <message>
        <source>“{name}” takes files of every kind; it would lose the others.</source>
        <translation>«{name}» admite archivos de todo tipo; perdería los demás.</translation>
    </message>
    <message>
        <source>Give these folders a library of their own.</source>
        <translation>Crea una biblioteca propia para estas carpetas.</translation>
    </message>
    <message>
        <source>Nothing of “{library}” has been read yet.</source>
        <translation>Todavía no se ha leído nada de «{library}».</translation>
    </message>
    <message>
        <source>Update it, or add a folder with documents to it.</source>
        <translation>Actualízala o añádele una carpeta con documentos.</translation>
    </message>
    <message>
        <source>Reading {document}</source>
        <translation>Leyendo {document}</translation>
    </message>
    <message>
        <source>“Recognise all scans”, below the list of files that were not read, changes that; in a terminal: library update --recognise.</source>
        <translation>«Reconocer todo lo escaneado», debajo de la lista de archivos no leídos, lo cambia; en un terminal: library update --recognise.</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} moved or copied</source>
        <comment>{n:,} moved or copied</comment>
        <translation>
            <numerusform>{n:,} movido o copiado</numerusform>
            <numerusform>{n:,} movidos o copiados</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} gone</source>
        <comment>{n:,} gone</comment>
        <translation>
            <numerusform>{n:,} desaparecido</numerusform>
            <numerusform>{n:,} desaparecidos</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} could not be read</source>
        <comment>{n:,} could not be read</comment>
        <translation>
            <numerusform>{n:,} no se ha podido leer</numerusform>
            <numerusform>{n:,} no se han podido leer</numerusform>
        </translation>
    </message>
    <message>
        <source>Another Spanlight is updating the libraries just now</source>
        <translation>Otra instancia de Spanlight está actualizando ahora las bibliotecas</translation>
    </message>
    <message>
        <source>What was read can be asked; try again later.</source>
        <translation>Puedes preguntar sobre lo ya leído; vuelve a intentarlo más tarde.</translation>
    </message>
    <message>
        <source>files compared</source>
        <translation>archivos comparados</translation>
    </message>
    <message>
        <source>“{file}” could not be read: {reason}.</source>
        <translation>No se ha podido leer «{file}»: {reason}.</translation>
    </message>
    <message>
        <source>It crashes Spanlight; this is a bug.</source>
        <translation>Hace fallar a Spanlight; es un error del programa.</translation>
    </message>
    <message>
        <source>files</source>
        <translation>archivos</translation>
    </message>
    <message>
        <source>The list of licences is missing.</source>
        <translation>Falta la lista de licencias.</translation>
    </message>
    <message>
        <source>Text in pictures cannot be recognised: Tesseract is missing.</source>
        <translation>No se puede reconocer texto en imágenes: falta Tesseract.</translation>
    </message>
    <message>
        <source>Install the program tesseract, or the Python package tesserocr, and start Spanlight again.</source>
        <translation>Instala el programa tesseract o el paquete de Python tesserocr y vuelve a iniciar Spanlight.</translation>
    </message>
    <message>
        <source>Text in pictures cannot be recognised: {folder} cannot be used.</source>
        <translation>No se puede reconocer texto en imágenes: no se puede usar {folder}.</translation>
    </message>
    <message>
        <source>Install Spanlight again.</source>
        <translation>Vuelve a instalar Spanlight.</translation>
    </message>
    <message>
        <source>The model {name} does not choose one of several classes.</source>
        <translation>El modelo {name} no elige una clase entre varias.</translation>
    </message>
    <message>
        <source>Only a model that does can be measured so.</source>
        <translation>Solo se puede medir así un modelo que lo haga.</translation>
    </message>
    <message>
        <source>The labels differ: the examples have {theirs}; {model} says {own}.</source>
        <translation>Las etiquetas no coinciden: los ejemplos tienen {theirs}; {model} tiene {own}.</translation>
    </message>
    <message>
        <source>Say which of the model&apos;s labels stands for which.</source>
        <translation>Indica a cuál equivale cada etiqueta del modelo.</translation>
    </message>
    <message>
        <source>{model} has no label “{label}”.</source>
        <translation>{model} no tiene la etiqueta «{label}».</translation>
    </message>
    <message>
        <source>It says {labels}.</source>
        <translation>Tiene {labels}.</translation>
    </message>
    <message>
        <source>The examples have no label “{label}”.</source>
        <translation>Los ejemplos no tienen la etiqueta «{label}».</translation>
    </message>
    <message>
        <source>They have {labels}.</source>
        <translation>Tienen {labels}.</translation>
    </message>
    <message>
        <source>{labels} and {n} more</source>
        <translation>{labels} y {n} más</translation>
    </message>
    <message>
        <source>none</source>
        <translation>ninguno</translation>
    </message>
    <message>
        <source>{labels} and {last}</source>
        <translation>{labels} y {last}</translation>
    </message>
    <message>
        <source>{set}, a part</source>
        <translation>{set}, una parte</translation>
    </message>
    <message>
        <source>This measure is not kept: {reason} {hint}</source>
        <translation>Esta medición no se guarda: {reason} {hint}</translation>
    </message>
    <message>
        <source>Only measures on the very same examples can be compared.</source>
        <translation>Solo se pueden comparar mediciones con exactamente los mismos ejemplos.</translation>
    </message>
    <message>
        <source>{first} read “{data}”, {second} “{other}”: measure both on one set.</source>
        <translation>{first} ha leído «{data}» y {second}, «{other}»: mide los dos con un mismo conjunto.</translation>
    </message>
    <message>
        <source>No examples come along that fit {model}.</source>
        <translation>No se incluyen ejemplos adecuados para {model}.</translation>
    </message>
    <message>
        <source>No examples come along that fit {models} and {model}.</source>
        <translation>No se incluyen ejemplos adecuados para {models} y {model}.</translation>
    </message>
    <message>
        <source>They are for answering questions, classifying texts and finding names.</source>
        <translation>Son para responder a preguntas, clasificar textos y encontrar nombres.</translation>
    </message>
    <message>
        <source>{commit} is no commit.</source>
        <translation>{commit} no es un commit.</translation>
    </message>
    <message>
        <source>It has 40 hexadecimal digits; leave it out for the newest.</source>
        <translation>Tiene 40 cifras hexadecimales; omítelo para usar el más reciente.</translation>
    </message>
    <message>
        <source>There is no unfinished download of {name}.</source>
        <translation>No hay ninguna descarga sin terminar de {name}.</translation>
    </message>
    <message>
        <source>It may be finished already.</source>
        <translation>Puede que ya haya terminado.</translation>
    </message>
    <message>
        <source>{repository} is installed already, as {name}.</source>
        <translation>{repository} ya está instalado como {name}.</translation>
    </message>
    <message>
        <source>{name} is refused.</source>
        <translation>{name} se ha rechazado.</translation>
    </message>
    <message>
        <source>Another version of {repository} is installed, as {name}.</source>
        <translation>Hay instalada otra versión de {repository} como {name}.</translation>
    </message>
    <message>
        <source>Remove it first, or have it replaced.</source>
        <translation>Quítala antes o haz que se sustituya.</translation>
    </message>
    <message>
        <source>{file} of {name} was changed in the Hugging Face cache.</source>
        <translation>{file} de {name} se ha modificado en la caché de Hugging Face.</translation>
    </message>
    <message>
        <source>Download it again.</source>
        <translation>Descárgalo de nuevo.</translation>
    </message>
    <message>
        <source>What was fetched of {name} could not be deleted: {reason}.</source>
        <translation>No se ha podido eliminar lo descargado de {name}: {reason}.</translation>
    </message>
    <message>
        <source>Check the permissions of the Hugging Face cache.</source>
        <translation>Comprueba los permisos de la caché de Hugging Face.</translation>
    </message>
    <message>
        <source>Nothing could be written into {folder}: {reason}.</source>
        <translation>No se ha podido escribir nada en {folder}: {reason}.</translation>
    </message>
    <message>
        <source>Checking</source>
        <translation>Comprobando</translation>
    </message>
    <message>
        <source>Trying it out</source>
        <translation>Probando</translation>
    </message>
    <message>
        <source>{name} makes the model process break off, and was not added.</source>
        <translation>{name} interrumpe el proceso de modelos y no se ha añadido.</translation>
    </message>
    <message>
        <source>Close other programs and try again; if it happens again, do not use this model.</source>
        <translation>Cierra otros programas y vuelve a intentarlo; si se repite, no uses este modelo.</translation>
    </message>
    <message>
        <source>{name} is not there any more.</source>
        <translation>{name} ya no está ahí.</translation>
    </message>
    <message>
        <source>Import or download it again.</source>
        <translation>Vuelve a importarlo o descargarlo.</translation>
    </message>
    <message>
        <source>{told}; {model} reads {languages}.</source>
        <translation>{told}; {model} lee {languages}.</translation>
    </message>
    <message>
        <source>{name} is in {language}</source>
        <translation>{name} está en {language}</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} of {total:,} documents is in {languages}</source>
        <comment>{n:,} of {total:,} documents are in {languages}</comment>
        <translation>
            <numerusform>{n:,} de {total:,} documentos está en {languages}</numerusform>
            <numerusform>{n:,} de {total:,} documentos están en {languages}</numerusform>
        </translation>
    </message>
    <message>
        <source>{name} is removed, but its files stay in the Hugging Face cache: {reason}.</source>
        <translation>{name} se ha quitado, pero sus archivos siguen en la caché de Hugging Face: {reason}.</translation>
    </message>
    <message>
        <source>Check the cache&apos;s permissions.</source>
        <translation>Comprueba los permisos de la caché.</translation>
    </message>
    <message>
        <source>No model was added yet.</source>
        <translation>Todavía no se ha añadido ningún modelo.</translation>
    </message>
    <message>
        <source>These can be removed: {names}.</source>
        <translation>Se pueden quitar estos: {names}.</translation>
    </message>
    <message>
        <source>There is no model {wanted!a}.</source>
        <translation>No existe el modelo {wanted!a}.</translation>
    </message>
    <message>
        <source>{name} comes along with Spanlight and cannot be removed.</source>
        <translation>{name} viene con Spanlight y no se puede quitar.</translation>
    </message>
    <message>
        <source>Choose another model to work with.</source>
        <translation>Elige otro modelo con el que trabajar.</translation>
    </message>
    <message>
        <source>{name} lies in {folder}, where Spanlight removes nothing.</source>
        <translation>{name} está en {folder}, donde Spanlight no quita nada.</translation>
    </message>
    <message>
        <source>Delete that folder yourself.</source>
        <translation>Elimina tú esa carpeta.</translation>
    </message>
    <message>
        <source>Copying</source>
        <translation>Copiando</translation>
    </message>
    <message>
        <source>Reading</source>
        <translation>Leyendo</translation>
    </message>
    <message>
        <source>Unpacking</source>
        <translation>Descomprimiendo</translation>
    </message>
    <message>
        <source>There is nothing at {path}.</source>
        <translation>No hay nada en {path}.</translation>
    </message>
    <message>
        <source>Check the path.</source>
        <translation>Comprueba la ruta.</translation>
    </message>
    <message>
        <source>“{file}” is no model.</source>
        <translation>«{file}» no es un modelo.</translation>
    </message>
    <message>
        <source>Import a model&apos;s folder, with config.json in it, or a zip of it.</source>
        <translation>Importa la carpeta de un modelo, con config.json dentro, o un zip de ella.</translation>
    </message>
    <message>
        <source>“{file}” is a zip, whose files cannot stay in it.</source>
        <translation>«{file}» es un zip, y sus archivos no se pueden dejar dentro.</translation>
    </message>
    <message>
        <source>Import it without linking, or unpack it first.</source>
        <translation>Impórtalo sin enlazar o descomprímelo antes.</translation>
    </message>
    <message>
        <source>{name} was changed while it was being checked, and was not added.</source>
        <translation>{name} ha cambiado mientras se comprobaba, y no se ha añadido.</translation>
    </message>
    <message>
        <source>Import it again when nothing writes to it any more.</source>
        <translation>Impórtalo de nuevo cuando ya nada escriba en él.</translation>
    </message>
    <message>
        <source>A model called {name} is there already.</source>
        <translation>Ya hay un modelo llamado {name}.</translation>
    </message>
    <message>
        <source>Give this one another name, or remove that.</source>
        <translation>Ponle otro nombre a este o quita el otro.</translation>
    </message>
    <message>
        <source>That is the folder where Spanlight keeps its models.</source>
        <translation>Esa es la carpeta en la que Spanlight guarda sus modelos.</translation>
    </message>
    <message>
        <source>They are installed already; choose another folder.</source>
        <translation>Ya están instalados; elige otra carpeta.</translation>
    </message>
    <message>
        <source>{name} is installed already.</source>
        <translation>{name} ya está instalado.</translation>
    </message>
    <message>
        <source>Choose another folder.</source>
        <translation>Elige otra carpeta.</translation>
    </message>
    <message>
        <source>{file} of {name} cannot be read: {reason}.</source>
        <translation>No se puede leer {file} de {name}: {reason}.</translation>
    </message>
    <message>
        <source>{file} of {name} is a link that leads out of its folder.</source>
        <translation>{file} de {name} es un enlace que lleva fuera de su carpeta.</translation>
    </message>
    <message>
        <source>Put the file itself there, or import the folder that holds it.</source>
        <translation>Pon ahí el archivo mismo o importa la carpeta que lo contiene.</translation>
    </message>
    <message>
        <source>This model is installed already, as {name}.</source>
        <translation>Este modelo ya está instalado como {name}.</translation>
    </message>
    <message>
        <source>It can be used under that name; remove it first to bring it in anew.</source>
        <translation>Se puede usar con ese nombre; quítalo antes para volver a añadirlo.</translation>
    </message>
    <message>
        <source>{file} cannot be read: {reason}.</source>
        <translation>No se puede leer {file}: {reason}.</translation>
    </message>
    <message>
        <source>look-up process</source>
        <translation>proceso de consulta</translation>
    </message>
    <message>
        <source>download process</source>
        <translation>proceso de descarga</translation>
    </message>
    <message>
        <source>Look the model up again.</source>
        <translation>Consulta el modelo de nuevo.</translation>
    </message>
    <message>
        <source>Go on with it: what was fetched is kept.</source>
        <translation>Continúa: lo descargado se conserva.</translation>
    </message>
    <message>
        <source>Check again.</source>
        <translation>Compruébalo de nuevo.</translation>
    </message>
    <message>
        <source>The process that reaches the network ended while it was at work.</source>
        <translation>El proceso que accede a la red se ha cerrado mientras trabajaba.</translation>
    </message>
    <message>
        <source>The network ledger cannot be read: {reason}.</source>
        <translation>No se puede leer el registro de red: {reason}.</translation>
    </message>
    <message>
        <source>Check {path}.</source>
        <translation>Comprueba {path}.</translation>
    </message>
    <message>
        <source>The network ledger cannot be cleared: {reason}.</source>
        <translation>No se puede vaciar el registro de red: {reason}.</translation>
    </message>
    <message>
        <source>Switch that off to look for models on the network.</source>
        <translation>Desactiva «Sin conexión» para buscar modelos en la red.</translation>
    </message>
    <message>
        <source>Spanlight is offline.</source>
        <translation>Spanlight está sin conexión.</translation>
    </message>
    <message>
        <source>Spanlight is offline now.</source>
        <translation>Spanlight está ahora sin conexión.</translation>
    </message>
    <message>
        <source>Switch that off to go on: nothing is lost.</source>
        <translation>Desactiva «Sin conexión» para continuar: no se pierde nada.</translation>
    </message>
    <message>
        <source>There is no such file.</source>
        <translation>Ese archivo no existe.</translation>
    </message>
    <message>
        <source>The file is too large to be one of certificates.</source>
        <translation>El archivo es demasiado grande para ser de certificados.</translation>
    </message>
    <message>
        <source>The file cannot be read: {reason}.</source>
        <translation>No se puede leer el archivo: {reason}.</translation>
    </message>
    <message>
        <source>Only the authorities in this file are trusted, not the system&apos;s own.</source>
        <translation>Solo se confía en las autoridades de este archivo, no en las del sistema.</translation>
    </message>
    <message>
        <source>The file holds no certificates in the PEM form.</source>
        <translation>El archivo no contiene certificados en formato PEM.</translation>
    </message>
    <message>
        <source>Write the folder&apos;s whole path.</source>
        <translation>Escribe la ruta completa de la carpeta.</translation>
    </message>
    <message>
        <source>Nothing can be written into this folder.</source>
        <translation>No se puede escribir nada en esta carpeta.</translation>
    </message>
    <message>
        <source>This is a file, not a folder.</source>
        <translation>Esto es un archivo, no una carpeta.</translation>
    </message>
    <message>
        <source>The folder is not there and cannot be made in {folder}.</source>
        <translation>La carpeta no existe y no se puede crear en {folder}.</translation>
    </message>
    <message>
        <source>The folder cannot be used: {reason}.</source>
        <translation>No se puede usar la carpeta: {reason}.</translation>
    </message>
    <message>
        <source>The folder is made with the first download.</source>
        <translation>La carpeta se crea con la primera descarga.</translation>
    </message>
    <message>
        <source>Switch that off to check for updates.</source>
        <translation>Desactiva «Sin conexión» para buscar actualizaciones.</translation>
    </message>
    <message>
        <source>There is no address yet where new versions are announced.</source>
        <translation>Todavía no hay una dirección en la que se anuncien versiones nuevas.</translation>
    </message>
    <message>
        <source>Write one under Settings, Updates, when you have it.</source>
        <translation>Escribe una en Ajustes, Actualizaciones, cuando la tengas.</translation>
    </message>
    <message>
        <source>{host} takes too long to answer.</source>
        <translation>{host} tarda demasiado en responder.</translation>
    </message>
    <message>
        <source>Try again later.</source>
        <translation>Vuelve a intentarlo más tarde.</translation>
    </message>
    <message>
        <source>Lines {first} and {second} of {file} have the same id {id}.</source>
        <translation>Las líneas {first} y {second} de {file} tienen el mismo id {id}.</translation>
    </message>
    <message>
        <source>Give every row an id of its own.</source>
        <translation>Da a cada fila un id propio.</translation>
    </message>
    <message>
        <source>Line {number} of {file} is not a result, so there is nothing to go on with.</source>
        <translation>La línea {number} de {file} no es un resultado, así que no hay con qué continuar.</translation>
    </message>
    <message>
        <source>Give another name for the output.</source>
        <translation>Indica otro nombre para la salida.</translation>
    </message>
    <message>
        <source>Another process is writing “{name}”</source>
        <translation>Otro proceso está escribiendo «{name}»</translation>
    </message>
    <message>
        <source>Wait until it is done, or write elsewhere.</source>
        <translation>Espera a que termine o escribe en otro sitio.</translation>
    </message>
    <message>
        <source>The output would overwrite what is read.</source>
        <translation>La salida sobrescribiría lo que se lee.</translation>
    </message>
    <message>
        <source>its name is at fault</source>
        <translation>el fallo está en su nombre</translation>
    </message>
    <message>
        <source>“{file}” could not be written: {reason}.</source>
        <translation>No se ha podido escribir «{file}»: {reason}.</translation>
    </message>
    <message>
        <source>Free some space, check the folder&apos;s permissions, or write elsewhere.</source>
        <translation>Libera espacio, comprueba los permisos de la carpeta o escribe en otro sitio.</translation>
    </message>
    <message>
        <source>So many files cannot be opened at once.</source>
        <translation>No se pueden abrir tantos archivos a la vez.</translation>
    </message>
    <message>
        <source>Open fewer of them at a time.</source>
        <translation>Abre menos de una vez.</translation>
    </message>
    <message>
        <source>“{name}” has {rows} and {columns}: too much for a table.</source>
        <translation>«{name}» tiene {rows} y {columns}: demasiado para una tabla.</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} row</source>
        <comment>{n:,} rows</comment>
        <translation>
            <numerusform>{n:,} fila</numerusform>
            <numerusform>{n:,} filas</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} column</source>
        <comment>{n:,} columns</comment>
        <translation>
            <numerusform>{n:,} columna</numerusform>
            <numerusform>{n:,} columnas</numerusform>
        </translation>
    </message>
    <message>
        <source>“{file}” has no column “{column}”.</source>
        <translation>«{file}» no tiene la columna «{column}».</translation>
    </message>
    <message>
        <source>Its columns are: {columns}.</source>
        <translation>Sus columnas son: {columns}.</translation>
    </message>
    <message>
        <source>“{file}” is not a CSV file: {fault}.</source>
        <translation>«{file}» no es un archivo CSV: {fault}.</translation>
    </message>
    <message>
        <source>Row {number} of “{file}” has more values than there are columns.</source>
        <translation>La fila {number} de «{file}» tiene más valores que columnas hay.</translation>
    </message>
    <message>
        <source>Put quotation marks around a text that holds the delimiter.</source>
        <translation>Pon entre comillas los textos que contengan el separador.</translation>
    </message>
    <message>
        <source>Its probabilities are adjusted from {fewest} verdicts on: {number} so far</source>
        <translation>Sus probabilidades se ajustan a partir de {fewest} veredictos: {number} hasta ahora</translation>
    </message>
    <message>
        <source>Adjusted to your {number:,} verdicts</source>
        <translation>Probabilidades ajustadas a tus {number:,} veredictos</translation>
    </message>
    <message>
        <source>Not adjusted to your {number:,} verdicts</source>
        <translation>Probabilidades sin ajustar a tus {number:,} veredictos</translation>
    </message>
    <message>
        <source>The reader&apos;s probabilities were not adjusted to your verdict: {fault}</source>
        <translation>Las probabilidades del lector no se han ajustado a tu veredicto: {fault}</translation>
    </message>
    <message>
        <source>{document} has changed since this was asked.</source>
        <translation>{document} ha cambiado desde que se preguntó esto.</translation>
    </message>
    <message>
        <source>No words are selected.</source>
        <translation>No hay palabras seleccionadas.</translation>
    </message>
    <message>
        <source>Select the right ones in the document.</source>
        <translation>Selecciona en el documento las correctas.</translation>
    </message>
    <message>
        <source>There are no corrections to export.</source>
        <translation>No hay correcciones que exportar.</translation>
    </message>
    <message>
        <source>Look for other words.</source>
        <translation>Busca otras palabras.</translation>
    </message>
    <message>
        <source>There are too few labels to tell texts apart.</source>
        <translation>Hay muy pocas etiquetas para distinguir textos.</translation>
    </message>
    <message>
        <source>Name at least two.</source>
        <translation>Indica al menos dos.</translation>
    </message>
    <message>
        <source>The label “{label}” is there twice.</source>
        <translation>La etiqueta «{label}» está dos veces.</translation>
    </message>
    <message>
        <source>Take one of them out.</source>
        <translation>Quita una de las dos.</translation>
    </message>
    <message>
        <source>{number:,} labels are more than can be told apart.</source>
        <translation>{number:,} etiquetas son más de las que se pueden distinguir.</translation>
    </message>
    <message>
        <source>Use at most {most}.</source>
        <translation>Usa {most} como máximo.</translation>
    </message>
    <message>
        <source>{accuracy} right ({low} to {high})</source>
        <translation>{accuracy} de aciertos ({low} a {high})</translation>
    </message>
    <message>
        <source>“{file}” holds no texts.</source>
        <translation>«{file}» no contiene textos.</translation>
    </message>
    <message>
        <source>It needs a header and a row for each text.</source>
        <translation>Necesita un encabezado y una fila para cada texto.</translation>
    </message>
    <message>
        <source>“{file}” has {number:,} rows: at most {most:,} can be labelled at once.</source>
        <translation>«{file}» tiene {number:,} filas: se pueden etiquetar {most:,} de una vez como máximo.</translation>
    </message>
    <message>
        <source>There is no text to label.</source>
        <translation>No hay ningún texto que etiquetar.</translation>
    </message>
    <message>
        <source>Paste a text with a line for each.</source>
        <translation>Pega un texto con una línea para cada uno.</translation>
    </message>
    <message>
        <source>At most {most:,} texts can be labelled at once.</source>
        <translation>Se pueden etiquetar {most:,} textos de una vez como máximo.</translation>
    </message>
    <message>
        <source>Paste fewer.</source>
        <translation>Pega menos.</translation>
    </message>
    <message>
        <source>“{file}” has no column “{name}”.</source>
        <translation>«{file}» no tiene la columna «{name}».</translation>
    </message>
    <message>
        <source>It is not clear which column of “{file}” holds the texts.</source>
        <translation>No está claro qué columna de «{file}» contiene los textos.</translation>
    </message>
    <message>
        <source>Add --column NAME; its columns are: {columns}.</source>
        <translation>Añade --column NOMBRE; sus columnas son: {columns}.</translation>
    </message>
    <message>
        <source>Measuring the reader</source>
        <translation>Midiendo el lector</translation>
    </message>
    <message>
        <source>Teaching</source>
        <translation>Enseñando</translation>
    </message>
    <message>
        <source>Measuring what it learnt</source>
        <translation>Midiendo lo aprendido</translation>
    </message>
    <message>
        <source>Installing</source>
        <translation>Instalando</translation>
    </message>
    <message>
        <source>“{folder}” is there already.</source>
        <translation>«{folder}» ya existe.</translation>
    </message>
    <message>
        <source>Give a new folder for the model.</source>
        <translation>Indica una carpeta nueva para el modelo.</translation>
    </message>
    <message>
        <source>{name} could not be exported</source>
        <translation>No se ha podido exportar {name}</translation>
    </message>
    <message>
        <source>There are too few corrections to learn from: {number}.</source>
        <translation>Hay muy pocas correcciones de las que aprender: {number}.</translation>
    </message>
    <message>
        <source>It takes at least {fewest}: correct some more answers.</source>
        <translation>Hacen falta al menos {fewest}: corrige algunas respuestas más.</translation>
    </message>
    <message>
        <source>The teaching could not begin</source>
        <translation>No se ha podido empezar la enseñanza</translation>
    </message>
    <message>
        <source>A question or its text is empty in {name}: {id}.</source>
        <translation>En {name} hay una pregunta vacía o con el texto vacío: {id}.</translation>
    </message>
    <message>
        <source>Leave it out.</source>
        <translation>Quítala.</translation>
    </message>
    <message numerus="yes">
        <source>{name} has different answers to one question on one text: {some} and {n} more.</source>
        <comment>{name} has different answers to one question on one text: {some} and {n} more.</comment>
        <translation>
            <numerusform>{name} tiene respuestas distintas a la misma pregunta sobre el mismo texto: {some} y {n} más.</numerusform>
            <numerusform>{name} tiene respuestas distintas a la misma pregunta sobre el mismo texto: {some} y {n} más.</numerusform>
        </translation>
    </message>
    <message>
        <source>{name} has different answers to one question on one text: {some}.</source>
        <translation>{name} tiene respuestas distintas a la misma pregunta sobre el mismo texto: {some}.</translation>
    </message>
    <message>
        <source>Keep the right ones.</source>
        <translation>Conserva las correctas.</translation>
    </message>
    <message numerus="yes">
        <source>Taught on this computer from {n:,} correction; it began with {base}.</source>
        <comment>Taught on this computer from {n:,} corrections; it began with {base}.</comment>
        <translation>
            <numerusform>Enseñado en este ordenador con {n:,} corrección; partió de {base}.</numerusform>
            <numerusform>Enseñado en este ordenador con {n:,} correcciones; partió de {base}.</numerusform>
        </translation>
    </message>
    <message>
        <source>{name} could not be written</source>
        <translation>No se ha podido escribir {name}</translation>
    </message>
    <message>
        <source>{file} could not be written</source>
        <translation>No se ha podido escribir {file}</translation>
    </message>
    <message>
        <source>There is no version “{name}” of the reader.</source>
        <translation>No existe la versión «{name}» del lector.</translation>
    </message>
    <message>
        <source>Teach one.</source>
        <translation>Enseña al lector para crear una.</translation>
    </message>
    <message>
        <source>The reader is being taught already</source>
        <translation>Ya se está enseñando al lector</translation>
    </message>
    <message>
        <source>Wait until that has ended, or stop it.</source>
        <translation>Espera a que termine o párala.</translation>
    </message>
    <message>
        <source>The teaching could not be discarded</source>
        <translation>No se ha podido descartar la enseñanza</translation>
    </message>
    <message>
        <source>{fault} The classifier has to be taught again.</source>
        <translation>{fault} Hay que volver a enseñar al clasificador.</translation>
    </message>
    <message>
        <source>{name} could not be written: {reason}.</source>
        <translation>No se ha podido escribir {name}: {reason}.</translation>
    </message>
    <message>
        <source>Some labels have fewer than {enough} examples: {labels}.</source>
        <translation>Algunas etiquetas tienen menos de {enough} ejemplos: {labels}.</translation>
    </message>
    <message>
        <source>Label some more texts.</source>
        <translation>Etiqueta algunos textos más.</translation>
    </message>
    <message>
        <source>Learning</source>
        <translation>Aprendiendo</translation>
    </message>
    <message numerus="yes">
        <source>Taught on this computer from {n:,} text of “{dataset}”: {labels}.</source>
        <comment>Taught on this computer from {n:,} texts of “{dataset}”: {labels}.</comment>
        <translation>
            <numerusform>Enseñado en este ordenador con {n:,} texto de «{dataset}»: {labels}.</numerusform>
            <numerusform>Enseñado en este ordenador con {n:,} textos de «{dataset}»: {labels}.</numerusform>
        </translation>
    </message>
    <message>
        <source>Free some space.</source>
        <translation>Libera espacio.</translation>
    </message>
    <message>
        <source>Checking, part {number} of {parts}</source>
        <translation>Comprobando, parte {number} de {parts}</translation>
    </message>
    <message>
        <source>Classifying the texts</source>
        <translation>Clasificando los textos</translation>
    </message>
    <message>
        <source>Reading the texts</source>
        <translation>Leyendo los textos</translation>
    </message>
    <message>
        <source>There is no base model “{name}”.</source>
        <translation>No existe el modelo base «{name}».</translation>
    </message>
    <message>
        <source>There is no teacher “{name}”.</source>
        <translation>No existe el profesor «{name}».</translation>
    </message>
    <message>
        <source>{base} reads at most {most} tokens at a time.</source>
        <translation>{base} lee como máximo {most} tokens a la vez.</translation>
    </message>
    <message>
        <source>The length asked for is {value}.</source>
        <translation>La longitud pedida es {value}.</translation>
    </message>
    <message>
        <source>The output would overwrite the base model.</source>
        <translation>La salida sobrescribiría el modelo base.</translation>
    </message>
    <message>
        <source>Give another folder.</source>
        <translation>Indica otra carpeta.</translation>
    </message>
    <message>
        <source>The output would overwrite the teacher.</source>
        <translation>La salida sobrescribiría al profesor.</translation>
    </message>
    <message>
        <source>There is no training for “{task}”.</source>
        <translation>No hay entrenamiento para «{task}».</translation>
    </message>
    <message>
        <source>Choose qa, classification, tokens or pretraining.</source>
        <translation>Elige qa, classification, tokens o pretraining.</translation>
    </message>
    <message>
        <source>Training needs examples and dev files.</source>
        <translation>El entrenamiento necesita archivos de ejemplos y de desarrollo.</translation>
    </message>
    <message>
        <source>Give at least one of each.</source>
        <translation>Indica al menos uno de cada.</translation>
    </message>
    <message>
        <source>There is no file “{file}”.</source>
        <translation>No existe el archivo «{file}».</translation>
    </message>
    <message>
        <source>“{file}” is a file.</source>
        <translation>«{file}» es un archivo.</translation>
    </message>
    <message>
        <source>Give a folder for the model.</source>
        <translation>Indica una carpeta para el modelo.</translation>
    </message>
    <message>
        <source>The epochs must be a number above 0.</source>
        <translation>Las épocas deben ser un número mayor que 0.</translation>
    </message>
    <message>
        <source>The learning rate must be a number above 0.</source>
        <translation>La tasa de aprendizaje debe ser un número mayor que 0.</translation>
    </message>
    <message>
        <source>The batch size must be a number above 0.</source>
        <translation>El tamaño de lote debe ser un número mayor que 0.</translation>
    </message>
    <message>
        <source>The evaluation interval must be a number above 0.</source>
        <translation>El intervalo de evaluación debe ser un número mayor que 0.</translation>
    </message>
    <message>
        <source>It is {value:g}.</source>
        <translation>Es {value:g}.</translation>
    </message>
    <message>
        <source>The length must be at least {least} tokens.</source>
        <translation>La longitud debe ser de al menos {least} tokens.</translation>
    </message>
    <message>
        <source>It is {value}.</source>
        <translation>Es {value}.</translation>
    </message>
    <message>
        <source>The dropout must be from 0 to less than 1.</source>
        <translation>El dropout debe estar entre 0 y menos de 1.</translation>
    </message>
    <message>
        <source>The warm-up is a share of all steps, 0 to 1.</source>
        <translation>El calentamiento es una proporción de todos los pasos, de 0 a 1.</translation>
    </message>
    <message>
        <source>The weight decay must be 0 or more.</source>
        <translation>El decaimiento de pesos debe ser 0 o más.</translation>
    </message>
    <message>
        <source>The seed must be a whole number from 0 on.</source>
        <translation>La semilla debe ser un número entero a partir de 0.</translation>
    </message>
    <message>
        <source>Give a checkpoint&apos;s folder or an installed name.</source>
        <translation>Indica la carpeta de un checkpoint o un nombre instalado.</translation>
    </message>
    <message>
        <source>Nothing can be kept: {folder} cannot be written to.</source>
        <translation>No se puede guardar nada: no se puede escribir en {folder}.</translation>
    </message>
    <message>
        <source>Everything works, but texts, questions and settings are forgotten when Spanlight is closed.</source>
        <translation>Todo funciona, pero los textos, las preguntas y los ajustes se olvidan al cerrar Spanlight.</translation>
    </message>
    <message>
        <source>The model chosen for this, {chosen}, cannot be used now: {model} is used instead.</source>
        <translation>El modelo elegido para esto, {chosen}, no se puede usar ahora: en su lugar se usa {model}.</translation>
    </message>
    <message>
        <source>The file of tables</source>
        <translation>El archivo de tablas</translation>
    </message>
    <message>
        <source>There is a table “{table}” already.</source>
        <translation>Ya hay una tabla «{table}».</translation>
    </message>
    <message>
        <source>Choose another name.</source>
        <translation>Elige otro nombre.</translation>
    </message>
    <message>
        <source>This question&apos;s table was removed.</source>
        <translation>Se ha quitado la tabla de esta pregunta.</translation>
    </message>
    <message>
        <source>Nothing was noted.</source>
        <translation>No se ha anotado nada.</translation>
    </message>
    <message>
        <source>The file of corrections</source>
        <translation>El archivo de correcciones</translation>
    </message>
    <message>
        <source>{file} was written by a newer Spanlight.</source>
        <translation>{file} se ha escrito con una versión más reciente de Spanlight.</translation>
    </message>
    <message>
        <source>Update this one to use it.</source>
        <translation>Actualiza esta para usarlo.</translation>
    </message>
    <message>
        <source>{file} is in use by another program just now.</source>
        <translation>{file} está ahora en uso por otro programa.</translation>
    </message>
    <message>
        <source>Try again in a moment.</source>
        <translation>Vuelve a intentarlo dentro de un momento.</translation>
    </message>
    <message>
        <source>{file} could not be written: the disk is full.</source>
        <translation>{file} no se ha podido escribir: el disco está lleno.</translation>
    </message>
    <message>
        <source>{file} in {folder} could not be used: {reason}.</source>
        <translation>{file} de {folder} no se ha podido usar: {reason}.</translation>
    </message>
    <message>
        <source>{file} was damaged and has been set aside.</source>
        <translation>{file} estaba dañado y se ha apartado.</translation>
    </message>
    <message>
        <source>A new one is begun; the old file is {name} in {folder}.</source>
        <translation>Se ha empezado uno nuevo; el archivo antiguo es {name}, en {folder}.</translation>
    </message>
    <message>
        <source>The file of labels</source>
        <translation>El archivo de etiquetas</translation>
    </message>
    <message>
        <source>Another window has changed these labels.</source>
        <translation>Otra ventana ha cambiado estas etiquetas.</translation>
    </message>
    <message>
        <source>Look at them again.</source>
        <translation>Vuelve a mirarlas.</translation>
    </message>
    <message>
        <source>There is a table “{name}” already.</source>
        <translation>Ya hay una tabla «{name}».</translation>
    </message>
    <message>
        <source>This table of labels was removed.</source>
        <translation>Se ha quitado esta tabla de etiquetas.</translation>
    </message>
    <message>
        <source>The label was not saved.</source>
        <translation>La etiqueta no se ha guardado.</translation>
    </message>
    <message>
        <source>The history</source>
        <translation>El historial</translation>
    </message>
    <message>
        <source>The history has no entry {number}.</source>
        <translation>El historial no tiene la entrada {number}.</translation>
    </message>
    <message>
        <source>It may have been deleted.</source>
        <translation>Puede que se haya eliminado.</translation>
    </message>
    <message>
        <source>The file has changed or is gone since it was found.</source>
        <translation>El archivo ha cambiado o ha desaparecido desde que se encontró.</translation>
    </message>
    <message numerus="yes">
        <source>The text of {n:,} page was recognised in its picture.</source>
        <comment>The text of {n:,} pages was recognised in their pictures.</comment>
        <translation>
            <numerusform>El texto de {n:,} página se ha reconocido en su imagen.</numerusform>
            <numerusform>El texto de {n:,} páginas se ha reconocido en sus imágenes.</numerusform>
        </translation>
    </message>
    <message>
        <source>The library</source>
        <translation>El archivo de la biblioteca</translation>
    </message>
    <message>
        <source>There is no library “{name}”.</source>
        <translation>No existe la biblioteca «{name}».</translation>
    </message>
    <message>
        <source>There are: {names}.</source>
        <translation>Existen estas: {names}.</translation>
    </message>
    <message>
        <source>Add a folder first: it becomes one.</source>
        <translation>Añade antes una carpeta: se convierte en biblioteca.</translation>
    </message>
    <message>
        <source>A library needs a name.</source>
        <translation>Una biblioteca necesita un nombre.</translation>
    </message>
    <message>
        <source>There is a library “{name}” already.</source>
        <translation>Ya hay una biblioteca «{name}».</translation>
    </message>
    <message>
        <source>The library “{library}” was removed.</source>
        <translation>Se ha quitado la biblioteca «{library}».</translation>
    </message>
    <message>
        <source>Add its folder again to have it back.</source>
        <translation>Vuelve a añadir su carpeta para recuperarla.</translation>
    </message>
    <message>
        <source>This computer&apos;s SQLite cannot search texts.</source>
        <translation>El SQLite de este ordenador no puede buscar en textos.</translation>
    </message>
    <message>
        <source>Install a Python that brings SQLite with FTS5.</source>
        <translation>Instala un Python que incluya SQLite con FTS5.</translation>
    </message>
    <message>
        <source>Choose another precision, or auto.</source>
        <translation>Elige otra precisión o auto.</translation>
    </message>
    <message>
        <source>Choose the device auto or cpu.</source>
        <translation>Elige el dispositivo auto o cpu.</translation>
    </message>
    <message numerus="yes">
        <source>{n} core</source>
        <comment>{n} cores</comment>
        <translation>
            <numerusform>{n} núcleo</numerusform>
            <numerusform>{n} núcleos</numerusform>
        </translation>
    </message>
    <message>
        <source>{cores}; bfloat16 with {instructions} is fastest</source>
        <translation>{cores}; lo más rápido es bfloat16 con {instructions}</translation>
    </message>
    <message>
        <source>{cores}; float32 is faster than bfloat16 with {instructions}</source>
        <translation>{cores}; float32 es más rápido que bfloat16 con {instructions}</translation>
    </message>
    <message>
        <source>fastest in {dtype}</source>
        <translation>más rápida con {dtype}</translation>
    </message>
    <message>
        <source>It is not used until Spanlight is started again: {reason}.</source>
        <translation>No se usará hasta que Spanlight se inicie de nuevo: {reason}.</translation>
    </message>
    <message>
        <source>There is no precision called {precision!r}.</source>
        <translation>No existe la precisión {precision!r}.</translation>
    </message>
    <message>
        <source>Choose {precisions}.</source>
        <translation>Elige una de estas: {precisions}.</translation>
    </message>
    <message>
        <source>chosen in the settings</source>
        <translation>elegida en los ajustes</translation>
    </message>
    <message>
        <source>There is no device called {wanted!r}.</source>
        <translation>No existe el dispositivo {wanted!r}.</translation>
    </message>
    <message>
        <source>Choose auto, cpu, cuda or mps.</source>
        <translation>Elige auto, cpu, cuda o mps.</translation>
    </message>
    <message>
        <source>{reason}; bfloat16 with {instructions}</source>
        <translation>{reason}; bfloat16 con {instructions}</translation>
    </message>
    <message>
        <source>{reason}; float32, faster here than bfloat16 with {instructions}</source>
        <translation>{reason}; float32, aquí más rápido que bfloat16 con {instructions}</translation>
    </message>
    <message>
        <source>This processor has no instructions for {precision}.</source>
        <translation>Este procesador no tiene instrucciones para {precision}.</translation>
    </message>
    <message>
        <source>{reason}; {precision} chosen</source>
        <translation>{reason}; se elige {precision}</translation>
    </message>
    <message>
        <source>the GPU {gpu} does not compute in {precision}</source>
        <translation>la GPU {gpu} no calcula con {precision}</translation>
    </message>
    <message>
        <source>{reason}, faster than the CPU</source>
        <translation>{reason}, más rápida que la CPU</translation>
    </message>
    <message>
        <source>{reason}; {other}</source>
        <translation>{reason}; {other}</translation>
    </message>
    <message>
        <source>{gpu} is not used: {reason}</source>
        <translation>{gpu} no se usa: {reason}</translation>
    </message>
    <message>
        <source>no GPU that PyTorch can use was found</source>
        <translation>no se ha encontrado ninguna GPU que PyTorch pueda usar</translation>
    </message>
    <message>
        <source>{gpu} cannot be used: {reason}.</source>
        <translation>{gpu} no se puede usar: {reason}.</translation>
    </message>
    <message>
        <source>The GPU {gpu} does not compute in {precision}.</source>
        <translation>La GPU {gpu} no calcula con {precision}.</translation>
    </message>
    <message>
        <source>{gpu}; {precision} chosen</source>
        <translation>{gpu}; {precision} por elección</translation>
    </message>
    <message>
        <source>No NVIDIA or AMD GPU that PyTorch can use was found.</source>
        <translation>No se ha encontrado ninguna GPU de NVIDIA o AMD que PyTorch pueda usar.</translation>
    </message>
    <message>
        <source>There is no GPU number {number}.</source>
        <translation>No hay ninguna GPU con el número {number}.</translation>
    </message>
    <message>
        <source>They are numbered 0 to {last}.</source>
        <translation>Están numeradas del 0 al {last}.</translation>
    </message>
    <message>
        <source>No Apple GPU that PyTorch can use was found.</source>
        <translation>No se ha encontrado ninguna GPU de Apple que PyTorch pueda usar.</translation>
    </message>
    <message>
        <source>This computer&apos;s memory ran out</source>
        <translation>Se ha agotado la memoria de este ordenador</translation>
    </message>
    <message>
        <source>The Apple GPU&apos;s memory ran out</source>
        <translation>Se ha agotado la memoria de la GPU de Apple</translation>
    </message>
    <message>
        <source>This computer has too little free memory for the model.</source>
        <translation>Este ordenador tiene muy poca memoria libre para el modelo.</translation>
    </message>
    <message>
        <source>The GPU has too little free memory for the model.</source>
        <translation>La GPU tiene muy poca memoria libre para el modelo.</translation>
    </message>
    <message>
        <source>Choose the device cpu, or close what uses the GPU.</source>
        <translation>Elige el dispositivo cpu o cierra lo que esté usando la GPU.</translation>
    </message>
    <message>
        <source>The GPU&apos;s memory ran out</source>
        <translation>Se ha agotado la memoria de la GPU</translation>
    </message>
    <message>
        <source>The GPU broke down: {text}.</source>
        <translation>La GPU ha fallado: {text}.</translation>
    </message>
    <message>
        <source>Choose the device cpu, or renew the GPU&apos;s driver.</source>
        <translation>Elige el dispositivo cpu o actualiza el controlador de la GPU.</translation>
    </message>
    <message>
        <source>the GPU has too little free memory for the model</source>
        <translation>la GPU tiene muy poca memoria libre para el modelo</translation>
    </message>
    <message>
        <source>the GPU broke down: {text}</source>
        <translation>la GPU ha fallado: {text}</translation>
    </message>
    <message>
        <source>the GPU broke down</source>
        <translation>la GPU ha fallado</translation>
    </message>
    <message>
        <source>{ran_out}: less is read at a time.</source>
        <translation>{ran_out}: se lee menos a la vez.</translation>
    </message>
    <message>
        <source>The tokenizer gave a token that the model does not know.</source>
        <translation>El tokenizador ha dado un token que el modelo no conoce.</translation>
    </message>
    <message>
        <source>Tokenizer and weights do not belong together: fetch a whole copy of this model.</source>
        <translation>El tokenizador y los pesos no se corresponden: descarga una copia completa de este modelo.</translation>
    </message>
    <message>
        <source>PyTorch cannot compute on the GPU {gpu}: a product comes out wrong or not at all</source>
        <translation>PyTorch no puede calcular en la GPU {gpu}: un producto sale mal o no sale</translation>
    </message>
    <message>
        <source>PyTorch cannot compute on the Apple GPU: a product comes out wrong</source>
        <translation>PyTorch no puede calcular en la GPU de Apple: un producto sale mal</translation>
    </message>
    <message>
        <source>this PyTorch is built without the Apple GPU</source>
        <translation>este PyTorch se compiló sin soporte para la GPU de Apple</translation>
    </message>
    <message>
        <source>macOS {version} is too old for PyTorch to use the Apple GPU</source>
        <translation>macOS {version} es demasiado antiguo para que PyTorch use la GPU de Apple</translation>
    </message>
    <message>
        <source>PyTorch does not compute on AMD GPUs on Windows</source>
        <translation>PyTorch no calcula en GPU de AMD en Windows</translation>
    </message>
    <message>
        <source>this PyTorch is a CPU build: it cannot use the {maker} GPU</source>
        <translation>este PyTorch es una versión para CPU: no puede usar la GPU de {maker}</translation>
    </message>
    <message>
        <source>this PyTorch is built for {built_for} GPUs, not for {maker}&apos;s</source>
        <translation>este PyTorch se compiló para GPU de {built_for}, no de {maker}</translation>
    </message>
    <message>
        <source>the driver is older than this PyTorch needs: it knows CUDA {known} at the most, PyTorch was built for CUDA {built}</source>
        <translation>el controlador es más antiguo de lo que necesita este PyTorch: admite como máximo CUDA {known}, y PyTorch se compiló para CUDA {built}</translation>
    </message>
    <message>
        <source>the driver {driver} is older than this PyTorch needs: it knows CUDA {known} at the most, PyTorch was built for CUDA {built}</source>
        <translation>el controlador {driver} es más antiguo de lo que necesita este PyTorch: admite como máximo CUDA {known}, y PyTorch se compiló para CUDA {built}</translation>
    </message>
    <message>
        <source>it is hidden from PyTorch by the environment variable {name}</source>
        <translation>la variable de entorno {name} la oculta a PyTorch</translation>
    </message>
    <message>
        <source>no {maker} driver answers: it is not installed, or not running</source>
        <translation>no responde ningún controlador de {maker}: no está instalado o no está en marcha</translation>
    </message>
    <message>
        <source>it finds no GPU</source>
        <translation>no encuentra ninguna GPU</translation>
    </message>
    <message>
        <source>the {maker} driver does not work with PyTorch: {reason}</source>
        <translation>el controlador de {maker} no funciona con PyTorch: {reason}</translation>
    </message>
    <message>
        <source>this PyTorch has no kernels for the GPU {gpu} ({name}), only for {built}</source>
        <translation>este PyTorch no tiene kernels para la GPU {gpu} ({name}), solo para {built}</translation>
    </message>
    <message>
        <source>the GPU {gpu} (compute capability {capability}) is too old for this PyTorch, which needs {least} or newer</source>
        <translation>la GPU {gpu} (capacidad de cómputo {capability}) es demasiado antigua para este PyTorch, que necesita {least} o posterior</translation>
    </message>
    <message>
        <source>the GPU {gpu} (compute capability {capability}) is newer than this PyTorch knows: install a newer PyTorch</source>
        <translation>la GPU {gpu} (capacidad de cómputo {capability}) es más nueva de lo que conoce este PyTorch: instala un PyTorch más reciente</translation>
    </message>
    <message>
        <source>tokenizer.json of {name} cannot be understood.</source>
        <translation>No se puede interpretar el tokenizer.json de {name}.</translation>
    </message>
    <message>
        <source>Fetch it again.</source>
        <translation>Descárgalo de nuevo.</translation>
    </message>
    <message>
        <source>The weights of {name} cannot be loaded.</source>
        <translation>No se pueden cargar los pesos de {name}.</translation>
    </message>
    <message>
        <source>Fetch the model again.</source>
        <translation>Descarga el modelo de nuevo.</translation>
    </message>
    <message>
        <source>The weights {weights} of {name} are not all finite numbers.</source>
        <translation>Los pesos {weights} de {name} no son todos números finitos.</translation>
    </message>
    <message>
        <source>Fetch a whole copy of this model.</source>
        <translation>Descarga una copia completa de este modelo.</translation>
    </message>
    <message>
        <source>{name} lacks the weights {weights} and {n} more.</source>
        <translation>A {name} le faltan los pesos {weights} y {n} más.</translation>
    </message>
    <message>
        <source>{name} lacks the weights {weights}.</source>
        <translation>A {name} le faltan los pesos {weights}.</translation>
    </message>
    <message>
        <source>{name} holds in a wrong shape the weights {weights} and {n} more.</source>
        <translation>En {name} tienen una forma incorrecta los pesos {weights} y {n} más.</translation>
    </message>
    <message>
        <source>{name} holds in a wrong shape the weights {weights}.</source>
        <translation>En {name} tienen una forma incorrecta los pesos {weights}.</translation>
    </message>
    <message>
        <source>{file} of “{name}” could not be unpacked</source>
        <translation>No se ha podido descomprimir {file} de «{name}»</translation>
    </message>
    <message>
        <source>“{file}” cannot be read: {reason}.</source>
        <translation>No se puede leer «{file}»: {reason}.</translation>
    </message>
    <message>
        <source>Check the file and its permissions.</source>
        <translation>Comprueba el archivo y sus permisos.</translation>
    </message>
    <message>
        <source>“{name}” holds more than {most:,} files, which no model does.</source>
        <translation>«{name}» contiene más de {most:,} archivos, y ningún modelo tiene tantos.</translation>
    </message>
    <message>
        <source>Unpack it with another program, and import the model&apos;s folder.</source>
        <translation>Descomprímelo con otro programa e importa la carpeta del modelo.</translation>
    </message>
    <message>
        <source>“{name}” is protected with a password.</source>
        <translation>«{name}» está protegido con contraseña.</translation>
    </message>
    <message>
        <source>“{name}” holds two files of one name, and was not unpacked.</source>
        <translation>«{name}» contiene dos archivos con el mismo nombre, y no se ha descomprimido.</translation>
    </message>
    <message>
        <source>“{name}” holds links or files that would be unpacked outside of it, and was not unpacked.</source>
        <translation>«{name}» contiene enlaces o archivos que se descomprimirían fuera de él, y no se ha descomprimido.</translation>
    </message>
    <message>
        <source>Do not use this model: a sound one holds nothing of the kind.</source>
        <translation>No uses este modelo: uno legítimo no contiene nada así.</translation>
    </message>
    <message>
        <source>“{name}” holds several models: {names}.</source>
        <translation>«{name}» contiene varios modelos: {names}.</translation>
    </message>
    <message>
        <source>“{name}” holds several models: one at its top, {names}.</source>
        <translation>«{name}» contiene varios modelos: uno en su raíz, {names}.</translation>
    </message>
    <message>
        <source>Unpack it, and import the folder of the one you want.</source>
        <translation>Descomprímelo e importa la carpeta del que quieras.</translation>
    </message>
    <message>
        <source>“{name}” holds no model.</source>
        <translation>«{name}» no contiene ningún modelo.</translation>
    </message>
    <message>
        <source>A model&apos;s zip has config.json, model.safetensors, tokenizer.json at its top or in one folder.</source>
        <translation>El zip de un modelo tiene config.json, model.safetensors y tokenizer.json en su raíz o en una sola carpeta.</translation>
    </message>
    <message>
        <source>“{name}” holds its weights only as {pickle}, a format that can carry programs.</source>
        <translation>«{name}» solo contiene sus pesos como {pickle}, un formato que puede llevar programas dentro.</translation>
    </message>
    <message>
        <source>Convert it to model.safetensors, or fetch the safetensors version of this model.</source>
        <translation>Conviértelo a model.safetensors o descarga la versión safetensors de este modelo.</translation>
    </message>
    <message>
        <source>“{name}” is packed in a way that Spanlight does not unpack.</source>
        <translation>«{name}» está comprimido de una forma que Spanlight no descomprime.</translation>
    </message>
    <message>
        <source>“{name}” would unpack to far more than a model, and was not unpacked.</source>
        <translation>«{name}» ocuparía al descomprimirse mucho más que un modelo, y no se ha descomprimido.</translation>
    </message>
    <message>
        <source>Do not use it: a sound model packs to no such size.</source>
        <translation>No lo uses: un modelo legítimo no se comprime tanto.</translation>
    </message>
    <message>
        <source>“{name}” is damaged: it cannot be unpacked whole.</source>
        <translation>«{name}» está dañado: no se puede descomprimir entero.</translation>
    </message>
    <message>
        <source>{name} cannot be read: {reason}.</source>
        <translation>No se puede leer {name}: {reason}.</translation>
    </message>
    <message>
        <source>Check its files.</source>
        <translation>Comprueba sus archivos.</translation>
    </message>
    <message>
        <source>{name} has no tokenizer.json.</source>
        <translation>{name} no tiene tokenizer.json.</translation>
    </message>
    <message>
        <source>Fetch that file, or save the tokenizer again with transformers, which writes it.</source>
        <translation>Descarga ese archivo o vuelve a guardar el tokenizador con transformers, que lo escribe.</translation>
    </message>
    <message>
        <source>There is no model folder {name}.</source>
        <translation>No existe la carpeta de modelo {name}.</translation>
    </message>
    <message>
        <source>{name} has no config.json.</source>
        <translation>{name} no tiene config.json.</translation>
    </message>
    <message>
        <source>A model folder needs config.json, model.safetensors, tokenizer.json.</source>
        <translation>La carpeta de un modelo necesita config.json, model.safetensors y tokenizer.json.</translation>
    </message>
    <message>
        <source>{name} holds weights in the format {dtype}, as quantised models do.</source>
        <translation>{name} contiene pesos en el formato {dtype}, como los modelos cuantizados.</translation>
    </message>
    <message>
        <source>config.json of {name} cannot be right: {key} is {value}.</source>
        <translation>El config.json de {name} no puede ser correcto: {key} es {value}.</translation>
    </message>
    <message numerus="yes">
        <source>{name} holds {n} layer where its config names {layers}.</source>
        <comment>{name} holds {n} layers where its config names {layers}.</comment>
        <translation>
            <numerusform>{name} contiene {n} capa, pero su configuración indica {layers}.</numerusform>
            <numerusform>{name} contiene {n} capas, pero su configuración indica {layers}.</numerusform>
        </translation>
    </message>
    <message>
        <source>Config and weights do not belong together.</source>
        <translation>La configuración y los pesos no se corresponden.</translation>
    </message>
    <message>
        <source>config.json of {name} cannot be right: {split} is not a multiple of {n} heads.</source>
        <translation>El config.json de {name} no puede ser correcto: {split} no es múltiplo de {n} cabezas.</translation>
    </message>
    <message>
        <source>{name} reads only {n} tokens at a time.</source>
        <translation>{name} solo lee {n} tokens a la vez.</translation>
    </message>
    <message>
        <source>The catalogue {file} cannot be read.</source>
        <translation>No se puede leer el catálogo {file}.</translation>
    </message>
    <message>
        <source>Install Spanlight again, or type a model&apos;s name.</source>
        <translation>Instala Spanlight de nuevo o escribe el nombre de un modelo.</translation>
    </message>
    <message>
        <source>Fetch its unquantised version (float32, float16, bfloat16).</source>
        <translation>Descarga su versión sin cuantizar (float32, float16, bfloat16).</translation>
    </message>
    <message>
        <source>{name} {does} ({key} is {value}), which Spanlight does not read.</source>
        <translation>{name} {does} ({key} es {value}), y Spanlight no lee esos modelos.</translation>
    </message>
    <message>
        <source>Choose another model: Spanlight reads {titles}.</source>
        <translation>Elige otro modelo: Spanlight lee {titles}.</translation>
    </message>
    <message>
        <source>config.json of {name} holds settings that Spanlight does not know: {key}.</source>
        <translation>El config.json de {name} contiene ajustes que Spanlight no conoce: {key}.</translation>
    </message>
    <message>
        <source>Choose a model of a known family: {titles}.</source>
        <translation>Elige un modelo de una familia conocida: {titles}.</translation>
    </message>
    <message>
        <source>an object</source>
        <translation>un objeto</translation>
    </message>
    <message>
        <source>a list of {n}</source>
        <translation>una lista de {n}</translation>
    </message>
    <message>
        <source>config.json of {name} names no family of models.</source>
        <translation>config.json de {name} no nombra ninguna familia de modelos.</translation>
    </message>
    <message>
        <source>{name} is of the family {family!r}, which Spanlight does not read.</source>
        <translation>{name} es de la familia {family!r}, que Spanlight no lee.</translation>
    </message>
    <message>
        <source>It reads {titles}.</source>
        <translation>Spanlight lee {titles}.</translation>
    </message>
    <message>
        <source>{name} brings program code of its own, which Spanlight never runs.</source>
        <translation>{name} trae su propio código de programa, que Spanlight no ejecuta nunca.</translation>
    </message>
    <message>
        <source>{name} is quantised, which Spanlight does not read.</source>
        <translation>{name} está cuantizado, y Spanlight no lee esos modelos.</translation>
    </message>
    <message>
        <source>{name} is an addition to another model (its config says {key}), not a whole one.</source>
        <translation>{name} es un añadido a otro modelo (su configuración indica {key}), no un modelo completo.</translation>
    </message>
    <message>
        <source>Fetch a version in which both are merged.</source>
        <translation>Descarga una versión en la que estén fusionados los dos.</translation>
    </message>
    <message>
        <source>config.json of {name} tells the program what to load or run ({key}), which Spanlight never follows.</source>
        <translation>El config.json de {name} indica al programa qué cargar o ejecutar ({key}), algo que Spanlight no sigue nunca.</translation>
    </message>
    <message>
        <source>Choose another model, or take that key out of the file if you trust it.</source>
        <translation>Elige otro modelo o, si te fías de él, quita esa clave del archivo.</translation>
    </message>
    <message>
        <source>reads a text from left to right only</source>
        <translation>lee los textos solo de izquierda a derecha</translation>
    </message>
    <message>
        <source>looks at a second text as a translator does</source>
        <translation>mira un segundo texto, como hace un traductor</translation>
    </message>
    <message>
        <source>writes texts</source>
        <translation>escribe textos</translation>
    </message>
    <message>
        <source>tells positions apart in another way</source>
        <translation>distingue las posiciones de otra manera</translation>
    </message>
    <message>
        <source>{name} is larger than any model that Spanlight reads.</source>
        <translation>{name} es mayor que cualquier modelo que lea Spanlight.</translation>
    </message>
    <message>
        <source>Choose a smaller one.</source>
        <translation>Elige uno más pequeño.</translation>
    </message>
    <message>
        <source>The disk has {free} free, and {needed} are needed.</source>
        <translation>El disco tiene {free} libres y se necesitan {needed}.</translation>
    </message>
    <message>
        <source>{what}: the disk is full.</source>
        <translation>{what}: el disco está lleno.</translation>
    </message>
    <message>
        <source>Check the permissions of the folder.</source>
        <translation>Comprueba los permisos de la carpeta.</translation>
    </message>
    <message>
        <source>Check the permissions of {folder}.</source>
        <translation>Comprueba los permisos de {folder}.</translation>
    </message>
    <message>
        <source>{what}: it may not be written there.</source>
        <translation>{what}: no hay permiso para escribir ahí.</translation>
    </message>
    <message>
        <source>Check the disk and the permissions of the folder.</source>
        <translation>Comprueba el disco y los permisos de la carpeta.</translation>
    </message>
    <message>
        <source>Check the disk and the permissions of {folder}.</source>
        <translation>Comprueba el disco y los permisos de {folder}.</translation>
    </message>
    <message>
        <source>{what}: {reason}.</source>
        <translation>{what}: {reason}.</translation>
    </message>
    <message>
        <source>answer questions</source>
        <translation>responder a preguntas</translation>
    </message>
    <message>
        <source>classify texts</source>
        <translation>clasificar textos</translation>
    </message>
    <message>
        <source>fill in words</source>
        <translation>completar palabras</translation>
    </message>
    <message>
        <source>tell what follows</source>
        <translation>decir si un texto continúa otro</translation>
    </message>
    <message>
        <source>find names</source>
        <translation>encontrar nombres</translation>
    </message>
    <message>
        <source>find passages by meaning</source>
        <translation>encontrar pasajes por su significado</translation>
    </message>
    <message>
        <source>Choose another model, or train that head on it.</source>
        <translation>Elige otro modelo o entrena esa cabeza en este.</translation>
    </message>
    <message>
        <source>It can {abilities}; choose another model for this.</source>
        <translation>Puede {abilities}; para esto, elige otro modelo.</translation>
    </message>
    <message>
        <source>{name} cannot {does}: its weights hold no head for that.</source>
        <translation>{name} no puede {does}: sus pesos no contienen ninguna cabeza para eso.</translation>
    </message>
    <message>
        <source>{some}, {another}</source>
        <translation>{some}, {another}</translation>
    </message>
    <message>
        <source>{some} and {last}</source>
        <translation>{some} y {last}</translation>
    </message>
    <message numerus="yes">
        <source>{name} names {n} label, but its classifier has {rows}.</source>
        <comment>{name} names {n} labels, but its classifier has {rows}.</comment>
        <translation>
            <numerusform>{name} nombra {n} etiqueta, pero su clasificador tiene {rows}.</numerusform>
            <numerusform>{name} nombra {n} etiquetas, pero su clasificador tiene {rows}.</numerusform>
        </translation>
    </message>
    <message>
        <source>Put id2label in its config.json right.</source>
        <translation>Corrige id2label en su config.json.</translation>
    </message>
    <message>
        <source>id2label in config.json maps 0, 1, 2 ... to the names of the classes.</source>
        <translation>En config.json, id2label asigna a 0, 1, 2… los nombres de las clases.</translation>
    </message>
    <message>
        <source>The labels of {name} are malformed.</source>
        <translation>Las etiquetas de {name} tienen un formato incorrecto.</translation>
    </message>
    <message>
        <source>Two labels of {name} have the same name.</source>
        <translation>Dos etiquetas de {name} tienen el mismo nombre.</translation>
    </message>
    <message>
        <source>config.json of {name} names a problem_type that is not known: {problem!r}.</source>
        <translation>El config.json de {name} indica un problem_type desconocido: {problem!r}.</translation>
    </message>
    <message>
        <source>It is one of {kinds}.</source>
        <translation>Tiene que ser uno de estos: {kinds}.</translation>
    </message>
    <message>
        <source>{name} holds the weights {weights} as whole numbers.</source>
        <translation>{name} contiene los pesos {weights} como números enteros.</translation>
    </message>
    <message>
        <source>{name} holds in a wrong shape the weights {weights}: {found} where its config says {wanted}.</source>
        <translation>En {name} tienen una forma incorrecta los pesos {weights}: {found}; su configuración indica {wanted}.</translation>
    </message>
    <message>
        <source>one number</source>
        <translation>un solo número</translation>
    </message>
    <message>
        <source>config.json of {name} cannot be right: {key} is missing.</source>
        <translation>El config.json de {name} no puede ser correcto: falta {key}.</translation>
    </message>
    <message>
        <source>There is no model {wanted!r}.</source>
        <translation>No existe el modelo {wanted!r}.</translation>
    </message>
    <message>
        <source>No model that can {does} is installed.</source>
        <translation>Ningún modelo instalado puede {does}.</translation>
    </message>
    <message>
        <source>Install Spanlight again, which brings one, or put a model&apos;s folder into {folder}.</source>
        <translation>Instala Spanlight de nuevo, que trae uno, o pon la carpeta de un modelo en {folder}.</translation>
    </message>
    <message>
        <source>its files hold what no model&apos;s do</source>
        <translation>sus archivos contienen lo que no contienen los de ningún modelo</translation>
    </message>
    <message>
        <source>Remove it, or check its files.</source>
        <translation>Quítalo o comprueba sus archivos.</translation>
    </message>
    <message>
        <source>No model for this is installed; give a model&apos;s folder.</source>
        <translation>No hay instalado ningún modelo para esto; indica la carpeta de uno.</translation>
    </message>
    <message>
        <source>Installed: {names}.</source>
        <translation>Instalados: {names}.</translation>
    </message>
    <message>
        <source>The files of {name} are gone from the Hugging Face cache.</source>
        <translation>Los archivos de {name} ya no están en la caché de Hugging Face.</translation>
    </message>
    <message>
        <source>Download it again, or remove it.</source>
        <translation>Descárgalo de nuevo o quítalo.</translation>
    </message>
    <message>
        <source>The files that {name} links to are gone.</source>
        <translation>Los archivos a los que enlaza {name} ya no existen.</translation>
    </message>
    <message>
        <source>Put them back, or remove the model and import it again.</source>
        <translation>Devuélvelos a su sitio, o quita el modelo e impórtalo de nuevo.</translation>
    </message>
    <message>
        <source>process {number}, since {when}</source>
        <translation>proceso {number}, desde el {when}</translation>
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
        <translation>Un modelo no se puede llamar {name!r}.</translation>
    </message>
    <message>
        <source>Call it {safe}, say.</source>
        <translation>Llámalo, por ejemplo, {safe}.</translation>
    </message>
    <message>
        <source>a value of another kind than is foreseen there</source>
        <translation>un valor de un tipo distinto del previsto ahí</translation>
    </message>
    <message>
        <source>spanlight.json of {name} is malformed: {fault}.</source>
        <translation>El spanlight.json de {name} tiene un formato incorrecto: {fault}.</translation>
    </message>
    <message>
        <source>Put it right, or delete it to use the defaults.</source>
        <translation>Corrígelo o elimínalo para usar los valores predeterminados.</translation>
    </message>
    <message>
        <source>a temperature, threshold or offset out of range</source>
        <translation>una temperatura, un umbral o un desplazamiento fuera de rango</translation>
    </message>
    <message>
        <source>a measured figure out of range</source>
        <translation>una cifra medida fuera de rango</translation>
    </message>
    <message>
        <source>a window or stride out of range</source>
        <translation>una ventana o un solapamiento fuera de rango</translation>
    </message>
    <message>
        <source>a reliability that is not {n} bins of shares</source>
        <translation>una fiabilidad que no consta de {n} intervalos de proporciones</translation>
    </message>
    <message>
        <source>a finder that is not the name of a folder</source>
        <translation>un buscador que no es el nombre de una carpeta</translation>
    </message>
    <message>
        <source>a pooling other than {mean}</source>
        <translation>una agrupación distinta de {mean}</translation>
    </message>
    <message>
        <source>more than {n} languages</source>
        <translation>más de {n} idiomas</translation>
    </message>
    <message>
        <source>origin.json of {name} is malformed, so it cannot be told whether the model is whole.</source>
        <translation>El origin.json de {name} tiene un formato incorrecto, así que no se puede saber si el modelo está completo.</translation>
    </message>
    <message>
        <source>Remove the model, and import or download it again.</source>
        <translation>Quita el modelo e impórtalo o descárgalo de nuevo.</translation>
    </message>
    <message>
        <source>{path} is being written.</source>
        <translation>Se está escribiendo {path}.</translation>
    </message>
    <message>
        <source>{file} is larger than any model&apos;s.</source>
        <translation>{file} es mayor que el de cualquier modelo.</translation>
    </message>
    <message>
        <source>{file} is no SentencePiece model.</source>
        <translation>{file} no es un modelo de SentencePiece.</translation>
    </message>
    <message>
        <source>{name} splits words by merging pairs, which no family that Spanlight reads does.</source>
        <translation>{name} divide las palabras fusionando pares, algo que no hace ninguna familia que lea Spanlight.</translation>
    </message>
    <message>
        <source>Save the tokenizer again with transformers, which writes tokenizer.json.</source>
        <translation>Vuelve a guardar el tokenizador con transformers, que escribe tokenizer.json.</translation>
    </message>
    <message>
        <source>{file} of {name} could not be copied</source>
        <translation>No se ha podido copiar {file} de {name}</translation>
    </message>
    <message>
        <source>{name} could not be installed</source>
        <translation>No se ha podido instalar {name}</translation>
    </message>
    <message>
        <source>{name} could not be removed</source>
        <translation>No se ha podido quitar {name}</translation>
    </message>
    <message>
        <source>{name} is being added or removed already.</source>
        <translation>{name} ya se está añadiendo o quitando.</translation>
    </message>
    <message>
        <source>Wait until that has ended, or stop it, and try again.</source>
        <translation>Espera a que termine, o páralo, y vuelve a intentarlo.</translation>
    </message>
    <message>
        <source>The weights of {name} were changed while they were loaded.</source>
        <translation>Los pesos de {name} han cambiado mientras se cargaban.</translation>
    </message>
    <message>
        <source>Try again.</source>
        <translation>Vuelve a intentarlo.</translation>
    </message>
    <message>
        <source>Do not use this model, or fetch a complete copy of it from a source you trust.</source>
        <translation>No uses este modelo o descarga una copia completa de una fuente de la que te fíes.</translation>
    </message>
    <message>
        <source>tokenizer.json of {name} has no vocabulary.</source>
        <translation>El tokenizer.json de {name} no tiene vocabulario.</translation>
    </message>
    <message>
        <source>tokenizer.json of {name} has a malformed vocabulary.</source>
        <translation>El tokenizer.json de {name} tiene un vocabulario con formato incorrecto.</translation>
    </message>
    <message>
        <source>The tokenizer of {name} knows {known} tokens, its weights only {rows:,}.</source>
        <translation>El tokenizador de {name} conoce {known} tokens; sus pesos, solo {rows:,}.</translation>
    </message>
    <message>
        <source>Tokenizer and weights do not belong together.</source>
        <translation>El tokenizador y los pesos no se corresponden.</translation>
    </message>
    <message>
        <source>{number:,}</source>
        <translation>{number:,}</translation>
    </message>
    <message>
        <source>far more</source>
        <translation>muchos más</translation>
    </message>
    <message>
        <source>tokenizer.json of {name} cuts words in a way that is not known.</source>
        <translation>El tokenizer.json de {name} divide las palabras de una forma desconocida.</translation>
    </message>
    <message>
        <source>The tokenizer of {name} cuts words at random, so that no answer could be had twice.</source>
        <translation>El tokenizador de {name} divide las palabras al azar, así que ninguna respuesta podría repetirse.</translation>
    </message>
    <message>
        <source>Fetch a version of the model that was saved for use, not for training.</source>
        <translation>Descarga una versión del modelo que se guardara para usarlo, no para entrenarlo.</translation>
    </message>
    <message>
        <source>tokenizer.json of {name} has words that no model has.</source>
        <translation>El tokenizer.json de {name} tiene palabras que no tiene ningún modelo.</translation>
    </message>
    <message>
        <source>tokenizer.json of {name} has larger settings than any model&apos;s.</source>
        <translation>El tokenizer.json de {name} tiene ajustes mayores que los de cualquier modelo.</translation>
    </message>
    <message>
        <source>tokenizer.json of {name} makes texts longer without end.</source>
        <translation>El tokenizer.json de {name} alarga los textos sin fin.</translation>
    </message>
    <message>
        <source>tokenizer.json of {name} has a step that is not known.</source>
        <translation>El tokenizer.json de {name} tiene un paso desconocido.</translation>
    </message>
    <message>
        <source>tokenizer.json of {name} takes more steps than any model&apos;s.</source>
        <translation>El tokenizer.json de {name} da más pasos que el de cualquier modelo.</translation>
    </message>
    <message>
        <source>tokenizer.json of {name} adds tokens that no model has.</source>
        <translation>El tokenizer.json de {name} añade tokens que no tiene ningún modelo.</translation>
    </message>
    <message>
        <source>{name} has no tokenizer.json, and no vocabulary that one can be made from.</source>
        <translation>{name} no tiene tokenizer.json ni un vocabulario con el que se pueda crear.</translation>
    </message>
    <message>
        <source>vocab.json of {name} is no vocabulary.</source>
        <translation>El vocab.json de {name} no es un vocabulario.</translation>
    </message>
    <message>
        <source>merges.txt of {name} merges what its vocabulary does not know: {pair!a}.</source>
        <translation>El merges.txt de {name} fusiona lo que su vocabulario no conoce: {pair!a}.</translation>
    </message>
    <message>
        <source>{file} of {name} is not UTF-8.</source>
        <translation>{file} de {name} no está en UTF-8.</translation>
    </message>
    <message>
        <source>{file} does not hold the model&apos;s token {token!a}.</source>
        <translation>{file} no contiene el token {token!a} del modelo.</translation>
    </message>
    <message>
        <source>added_tokens.json of {name} is malformed.</source>
        <translation>El added_tokens.json de {name} tiene un formato incorrecto.</translation>
    </message>
    <message>
        <source>Fetch or copy the file again: it is damaged or incomplete.</source>
        <translation>Descarga o copia de nuevo el archivo: está dañado o incompleto.</translation>
    </message>
    <message>
        <source>{name} lacks its part {part}.</source>
        <translation>A {name} le falta su parte {part}.</translation>
    </message>
    <message>
        <source>Fetch or copy the missing file.</source>
        <translation>Descarga o copia el archivo que falta.</translation>
    </message>
    <message>
        <source>{name} holds its weights only as {file}, a format that can carry programs.</source>
        <translation>{name} solo contiene sus pesos como {file}, un formato que puede llevar programas dentro.</translation>
    </message>
    <message>
        <source>{name} has no model.safetensors.</source>
        <translation>{name} no tiene model.safetensors.</translation>
    </message>
    <message>
        <source>model.safetensors.index.json of {name} names no weights.</source>
        <translation>El model.safetensors.index.json de {name} no nombra ningún peso.</translation>
    </message>
    <message>
        <source>model.safetensors.index.json of {name} names a file outside the folder.</source>
        <translation>El model.safetensors.index.json de {name} nombra un archivo de fuera de la carpeta.</translation>
    </message>
    <message>
        <source>Do not use this model: it is malformed.</source>
        <translation>No uses este modelo: tiene un formato incorrecto.</translation>
    </message>
    <message>
        <source>model.safetensors.index.json of {name} names {n:,} parts, which no model needs.</source>
        <translation>El model.safetensors.index.json de {name} nombra {n:,} partes, y ningún modelo necesita tantas.</translation>
    </message>
    <message>
        <source>{name} lacks the weights {weights} that its index names.</source>
        <translation>A {name} le faltan los pesos {weights}, que su índice nombra.</translation>
    </message>
    <message>
        <source>{name} holds the weights {weights} twice.</source>
        <translation>{name} contiene dos veces los pesos {weights}.</translation>
    </message>
    <message>
        <source>{name} holds {size} of weights, more than Spanlight loads.</source>
        <translation>{name} contiene {size} de pesos, más de lo que carga Spanlight.</translation>
    </message>
    <message>
        <source>Choose a model of at most {size}.</source>
        <translation>Elige un modelo de {size} como máximo.</translation>
    </message>
    <message>
        <source>{file} ends before its own header does.</source>
        <translation>{file} termina antes que su propia cabecera.</translation>
    </message>
    <message>
        <source>{file} has a header of {n:,} bytes, which no model needs.</source>
        <translation>{file} tiene una cabecera de {n:,} bytes, y ningún modelo necesita tantos.</translation>
    </message>
    <message>
        <source>{file} has a header that is malformed.</source>
        <translation>{file} tiene una cabecera con formato incorrecto.</translation>
    </message>
    <message>
        <source>{file} describes {weights} wrongly.</source>
        <translation>{file} describe mal {weights}.</translation>
    </message>
    <message>
        <source>{file} has weights that overlap or leave gaps.</source>
        <translation>{file} tiene pesos que se solapan o dejan huecos.</translation>
    </message>
    <message numerus="yes">
        <source>{file} is cut off: {n:,} byte is missing.</source>
        <comment>{file} is cut off: {n:,} bytes are missing.</comment>
        <translation>
            <numerusform>{file} está cortado: falta {n:,} byte.</numerusform>
            <numerusform>{file} está cortado: faltan {n:,} bytes.</numerusform>
        </translation>
    </message>
    <message>
        <source>{file} has bytes that belong to no weight.</source>
        <translation>{file} tiene bytes que no pertenecen a ningún peso.</translation>
    </message>
    <message>
        <source>{file} is not a file that can be read.</source>
        <translation>{file} no es un archivo que se pueda leer.</translation>
    </message>
    <message>
        <source>Fetch or copy the file again.</source>
        <translation>Descarga o copia de nuevo el archivo.</translation>
    </message>
    <message>
        <source>{name} is larger than any model&apos;s.</source>
        <translation>{name} es mayor que el de cualquier modelo.</translation>
    </message>
    <message>
        <source>{name} is not well-formed JSON.</source>
        <translation>{name} no es JSON bien formado.</translation>
    </message>
    <message>
        <source>{name} is not a JSON object.</source>
        <translation>{name} no es un objeto JSON.</translation>
    </message>
    <message>
        <source>{address} is no address of a Hub.</source>
        <translation>{address} no es la dirección de un Hub.</translation>
    </message>
    <message>
        <source>Write it as https://huggingface.co, or leave it empty.</source>
        <translation>Escríbela como https://huggingface.co o déjala vacía.</translation>
    </message>
    <message>
        <source>given up</source>
        <translation>abandonada</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>rechazada</translation>
    </message>
    <message>
        <source>The answer is larger than any announcement of new versions.</source>
        <translation>La respuesta es mayor que cualquier anuncio de versiones nuevas.</translation>
    </message>
    <message>
        <source>The answer is larger than any that a Hub gives.</source>
        <translation>La respuesta es mayor que cualquiera de las que da un Hub.</translation>
    </message>
    <message>
        <source>Check the Hub&apos;s address under Models, Network.</source>
        <translation>Comprueba la dirección del Hub en Modelos, Red.</translation>
    </message>
    <message>
        <source>The address sends on to {target}, which is not safe to follow.</source>
        <translation>La dirección redirige a {target}, y no es seguro seguir por ahí.</translation>
    </message>
    <message>
        <source>Check the address; what it sends on to should begin with https.</source>
        <translation>Comprueba la dirección; aquella a la que redirige debería empezar por https.</translation>
    </message>
    <message>
        <source>The Hub sends the download on to {target}, which is not safe to follow.</source>
        <translation>El Hub redirige la descarga a {target}, y no es seguro seguir por ahí.</translation>
    </message>
    <message>
        <source>Check the Hub&apos;s address under Models, Network; it should begin with https.</source>
        <translation>Comprueba la dirección del Hub en Modelos, Red; debería empezar por https.</translation>
    </message>
    <message>
        <source>{file} holds no certificates that can be read.</source>
        <translation>{file} no contiene certificados que se puedan leer.</translation>
    </message>
    <message>
        <source>Choose a PEM file under Models, Network, or leave it empty.</source>
        <translation>Elige un archivo PEM en Modelos, Red, o déjalo vacío.</translation>
    </message>
    <message>
        <source>{address} is no proxy that can be used.</source>
        <translation>{address} no es un proxy que se pueda usar.</translation>
    </message>
    <message>
        <source>Write it as http://name:port under Models, Network.</source>
        <translation>Escríbelo como http://nombre:puerto en Modelos, Red.</translation>
    </message>
    <message>
        <source>The Hub asks to wait.</source>
        <translation>El Hub pide esperar.</translation>
    </message>
    <message>
        <source>{reason} Again in {time}.</source>
        <translation>{reason} Nuevo intento en {time}.</translation>
    </message>
    <message>
        <source>What was fetched is kept, and the download goes on from there.</source>
        <translation>Lo descargado se conserva, y la descarga continuará desde ahí.</translation>
    </message>
    <message>
        <source>certificate not trusted</source>
        <translation>certificado no fiable</translation>
    </message>
    <message>
        <source>no secure connection</source>
        <translation>sin conexión segura</translation>
    </message>
    <message>
        <source>name not found</source>
        <translation>nombre no encontrado</translation>
    </message>
    <message>
        <source>no network</source>
        <translation>sin red</translation>
    </message>
    <message>
        <source>proxy refused</source>
        <translation>rechazada por el proxy</translation>
    </message>
    <message>
        <source>no connection in time</source>
        <translation>no se conectó a tiempo</translation>
    </message>
    <message>
        <source>no answer in time</source>
        <translation>sin respuesta a tiempo</translation>
    </message>
    <message>
        <source>no connection</source>
        <translation>no se pudo conectar</translation>
    </message>
    <message>
        <source>broken off</source>
        <translation>interrumpida</translation>
    </message>
    <message>
        <source>{file} could not be downloaded</source>
        <translation>No se ha podido descargar {file}</translation>
    </message>
    <message>
        <source>{hint} {kept}</source>
        <translation>{hint} {kept}</translation>
    </message>
    <message>
        <source>{host} does not answer as a Hub does.</source>
        <translation>{host} no responde como un Hub.</translation>
    </message>
    <message>
        <source>Check the Hub&apos;s address under Models, Network; a login page of the network may stand in between.</source>
        <translation>Comprueba la dirección del Hub en Modelos, Red; puede que se interponga una página de inicio de sesión de la red.</translation>
    </message>
    <message>
        <source>The owner of {repository} gives it only to people who have registered.</source>
        <translation>El propietario de {repository} solo lo ofrece a quienes se han registrado.</translation>
    </message>
    <message>
        <source>Register at {address}, sign in with Hugging Face&apos;s own tool (hf auth login), and let Spanlight use it under Models, Network.</source>
        <translation>Regístrate en {address}, inicia sesión con la herramienta de Hugging Face (hf auth login) y, en Modelos, Red, permite que Spanlight use esa sesión.</translation>
    </message>
    <message>
        <source>{host} has too many requests from here.</source>
        <translation>{host} recibe demasiadas peticiones desde aquí.</translation>
    </message>
    <message>
        <source>Try again in some minutes.</source>
        <translation>Vuelve a intentarlo en unos minutos.</translation>
    </message>
    <message>
        <source>{host} has too many requests from here and asks to wait {time}.</source>
        <translation>{host} recibe demasiadas peticiones desde aquí y pide esperar {time}.</translation>
    </message>
    <message>
        <source>Try again after that.</source>
        <translation>Vuelve a intentarlo después.</translation>
    </message>
    <message>
        <source>{host} has switched {repository} off.</source>
        <translation>{host} ha desactivado {repository}.</translation>
    </message>
    <message>
        <source>{host} does not have that version of {repository} any more.</source>
        <translation>{host} ya no tiene esa versión de {repository}.</translation>
    </message>
    <message>
        <source>{repository} does not have that file any more.</source>
        <translation>{repository} ya no tiene ese archivo.</translation>
    </message>
    <message>
        <source>{repository} does not have {file} any more.</source>
        <translation>{repository} ya no tiene {file}.</translation>
    </message>
    <message>
        <source>{host} does not show {repository} to you.</source>
        <translation>{host} no te muestra {repository}.</translation>
    </message>
    <message>
        <source>Check the name, or sign in with Hugging Face&apos;s own tool (hf auth login), and let Spanlight use it under Models, Network.</source>
        <translation>Comprueba el nombre, o inicia sesión con la herramienta de Hugging Face (hf auth login) y, en Modelos, Red, permite que Spanlight use esa sesión.</translation>
    </message>
    <message>
        <source>{host} has no model {repository}, or shows it only to people who sign in.</source>
        <translation>{host} no tiene ningún modelo {repository}, o solo lo muestra a quienes inician sesión.</translation>
    </message>
    <message>
        <source>Check the name. Where you have access: sign in with Hugging Face&apos;s own tool (hf auth login), and let Spanlight use it under Models, Network.</source>
        <translation>Comprueba el nombre. Si tienes acceso, inicia sesión con la herramienta de Hugging Face (hf auth login) y, en Modelos, Red, permite que Spanlight use esa sesión.</translation>
    </message>
    <message>
        <source>{host} has less of {file} than it said.</source>
        <translation>{host} tiene menos de {file} de lo que dijo.</translation>
    </message>
    <message>
        <source>The proxy wants a name and a password.</source>
        <translation>El proxy exige un nombre y una contraseña.</translation>
    </message>
    <message>
        <source>Write them as http://name:password@host:port.</source>
        <translation>Escríbelos como http://nombre:contraseña@host:puerto.</translation>
    </message>
    <message>
        <source>{host} has a fault of its own at the moment (status {status}).</source>
        <translation>{host} tiene un fallo propio en este momento (estado {status}).</translation>
    </message>
    <message>
        <source>{host} answered with status {status}.</source>
        <translation>{host} ha respondido con el estado {status}.</translation>
    </message>
    <message>
        <source>The proxy {proxy}, which this computer&apos;s settings name, cannot be reached.</source>
        <translation>No se puede acceder al proxy {proxy}, que figura en los ajustes de este ordenador.</translation>
    </message>
    <message>
        <source>Check it in the system&apos;s settings, or name another one under Models, Network.</source>
        <translation>Compruébalo en los ajustes del sistema o indica otro en Modelos, Red.</translation>
    </message>
    <message>
        <source>The proxy of this computer does not let the request through.</source>
        <translation>El proxy de este ordenador no deja pasar la petición.</translation>
    </message>
    <message>
        <source>The proxy {proxy} does not let the request through.</source>
        <translation>El proxy {proxy} no deja pasar la petición.</translation>
    </message>
    <message>
        <source>Check it under Models, Network.</source>
        <translation>Compruébalo en Modelos, Red.</translation>
    </message>
    <message>
        <source>{host} shows a certificate that this computer does not trust.</source>
        <translation>{host} muestra un certificado en el que este ordenador no confía.</translation>
    </message>
    <message>
        <source>Where your network looks into traffic, give its certificate file under Models, Network.</source>
        <translation>Si tu red inspecciona el tráfico, indica su archivo de certificado en Modelos, Red.</translation>
    </message>
    <message>
        <source>No secure connection to {host} could be made.</source>
        <translation>No se ha podido establecer una conexión segura con {host}.</translation>
    </message>
    <message>
        <source>Check the address and the proxy.</source>
        <translation>Comprueba la dirección y el proxy.</translation>
    </message>
    <message>
        <source>{host} cannot be found: there seems to be no network.</source>
        <translation>No se encuentra {host}: parece que no hay red.</translation>
    </message>
    <message>
        <source>Check the connection, then try again.</source>
        <translation>Comprueba la conexión y vuelve a intentarlo.</translation>
    </message>
    <message>
        <source>{host} cannot be reached.</source>
        <translation>No se puede acceder a {host}.</translation>
    </message>
    <message>
        <source>Check the connection and the address, then try again.</source>
        <translation>Comprueba la conexión y la dirección y vuelve a intentarlo.</translation>
    </message>
    <message>
        <source>{host} gave no connection in {time}.</source>
        <translation>No se ha conectado con {host} en {time}.</translation>
    </message>
    <message>
        <source>{host} sent nothing for {time}.</source>
        <translation>{host} no ha enviado nada durante {time}.</translation>
    </message>
    <message>
        <source>The connection to {host} broke off again and again.</source>
        <translation>La conexión con {host} se ha interrumpido una y otra vez.</translation>
    </message>
    <message>
        <source>{name} could not be put into the Hugging Face cache</source>
        <translation>No se ha podido poner {name} en la caché de Hugging Face</translation>
    </message>
    <message>
        <source>{name} cannot be used.</source>
        <translation>{name} no se puede usar.</translation>
    </message>
    <message>
        <source>What was looked up of {repository} does not hold any more.</source>
        <translation>Lo consultado sobre {repository} ya no es válido.</translation>
    </message>
    <message>
        <source>Look it up again.</source>
        <translation>Consúltalo de nuevo.</translation>
    </message>
    <message>
        <source>Download {file} of {name}</source>
        <translation>Descargar {file} de {name}</translation>
    </message>
    <message>
        <source>{file} did not arrive as it is at the Hub: its checksum is wrong.</source>
        <translation>{file} no ha llegado tal como está en el Hub: su suma de comprobación no coincide.</translation>
    </message>
    <message>
        <source>What came of it was thrown away. Download it again; if it happens again, check the proxy.</source>
        <translation>Lo recibido se ha descartado. Descárgalo de nuevo; si vuelve a ocurrir, comprueba el proxy.</translation>
    </message>
    <message>
        <source>Checking {file}</source>
        <translation>Comprobando {file}</translation>
    </message>
    <message>
        <source>{file}: another program is fetching it</source>
        <translation>{file}: otro programa lo está descargando</translation>
    </message>
    <message>
        <source>More bytes came for {file} than its size.</source>
        <translation>Han llegado más bytes de los que ocupa {file}.</translation>
    </message>
    <message>
        <source>{what}: nothing has come for {time}</source>
        <translation>{what}: no ha llegado nada desde hace {time}</translation>
    </message>
    <message>
        <source>The network ledger cannot be written: {reason}.</source>
        <translation>No se puede escribir el registro de red: {reason}.</translation>
    </message>
    <message>
        <source>Nothing is sent without it. Make room on the disk, or check {path}.</source>
        <translation>Sin él no se envía nada. Libera espacio en el disco o comprueba {path}.</translation>
    </message>
    <message>
        <source>{commit} is no commit&apos;s id.</source>
        <translation>{commit} no es el id de un commit.</translation>
    </message>
    <message>
        <source>Leave it out to take the newest.</source>
        <translation>Omítelo para usar el más reciente.</translation>
    </message>
    <message>
        <source>Looking up {name}</source>
        <translation>Consultando {name}</translation>
    </message>
    <message>
        <source>Look up {name}</source>
        <translation>Consultar {name}</translation>
    </message>
    <message>
        <source>Looking into {name}</source>
        <translation>Examinando {name}</translation>
    </message>
    <message>
        <source>{name} has {n:,} files, which no model needs.</source>
        <translation>{name} tiene {n:,} archivos, y ningún modelo necesita tantos.</translation>
    </message>
    <message>
        <source>{name} names a file that leads out of its folder: {file}.</source>
        <translation>{name} nombra un archivo que sale de su carpeta: {file}.</translation>
    </message>
    <message>
        <source>Do not use this model.</source>
        <translation>No uses este modelo.</translation>
    </message>
    <message>
        <source>The Hub tells no size and checksum of {name}, so it could not be checked.</source>
        <translation>El Hub no indica el tamaño y la suma de comprobación de {name}, así que no se podría comprobar.</translation>
    </message>
    <message>
        <source>Choose another model, or another address of the Hub.</source>
        <translation>Elige otro modelo u otra dirección del Hub.</translation>
    </message>
    <message>
        <source>{name} has {size}, more than any model&apos;s.</source>
        <translation>{name} ocupa {size}, más que el de cualquier modelo.</translation>
    </message>
    <message>
        <source>The Hub tells a checksum of {name} that is none.</source>
        <translation>La suma de comprobación que indica el Hub para {name} no es válida.</translation>
    </message>
    <message>
        <source>Look for a version with model.safetensors.</source>
        <translation>Busca una versión con model.safetensors.</translation>
    </message>
    <message>
        <source>Look into {name}</source>
        <translation>Examinar {name}</translation>
    </message>
    <message>
        <source>Look for a version of this model that has one.</source>
        <translation>Busca una versión de este modelo que lo tenga.</translation>
    </message>
    <message>
        <source>{repository} has no {file}.</source>
        <translation>{repository} no tiene {file}.</translation>
    </message>
    <message>
        <source>A model needs config.json, model.safetensors and tokenizer.json.</source>
        <translation>Un modelo necesita config.json, model.safetensors y tokenizer.json.</translation>
    </message>
    <message>
        <source>Check for updates</source>
        <translation>Buscar actualizaciones</translation>
    </message>
    <message>
        <source>There is no address to ask.</source>
        <translation>No hay ninguna dirección a la que preguntar.</translation>
    </message>
    <message>
        <source>Asking {host}</source>
        <translation>Preguntando a {host}</translation>
    </message>
    <message>
        <source>Try again in {time}.</source>
        <translation>Vuelve a intentarlo en {time}.</translation>
    </message>
    <message>
        <source>{host} sends the request round in circles.</source>
        <translation>{host} redirige la petición en círculos.</translation>
    </message>
    <message>
        <source>{host} did not answer whole within {time}.</source>
        <translation>{host} no ha respondido por completo en {time}.</translation>
    </message>
    <message>
        <source>{host} has nothing at that address.</source>
        <translation>{host} no tiene nada en esa dirección.</translation>
    </message>
    <message>
        <source>{host} does not show that address to everybody.</source>
        <translation>{host} no muestra esa dirección a todo el mundo.</translation>
    </message>
    <message>
        <source>The connection to {host} broke off.</source>
        <translation>La conexión con {host} se ha interrumpido.</translation>
    </message>
    <message>
        <source>{name} is no name of a model on the Hub.</source>
        <translation>{name} no es el nombre de un modelo del Hub.</translation>
    </message>
    <message>
        <source>Nothing is no name of a model on the Hub.</source>
        <translation>Un nombre vacío no es el nombre de ningún modelo del Hub.</translation>
    </message>
    <message>
        <source>Names look like deepset/roberta-base-squad2: owner, slash, model.</source>
        <translation>Los nombres son como deepset/roberta-base-squad2: propietario, barra, modelo.</translation>
    </message>
    <message>
        <source>BERT, DistilBERT, RoBERTa, XLM-RoBERTa, MPNet, ELECTRA, ALBERT, MobileBERT and DeBERTa</source>
        <translation>BERT, DistilBERT, RoBERTa, XLM-RoBERTa, MPNet, ELECTRA, ALBERT, MobileBERT y DeBERTa</translation>
    </message>
    <message>
        <source>Answers in a text</source>
        <translation>Respuestas en un texto</translation>
    </message>
    <message>
        <source>Classes of a text</source>
        <translation>Clases de un texto</translation>
    </message>
    <message>
        <source>Hidden words</source>
        <translation>Palabras ocultas</translation>
    </message>
    <message>
        <source>Does it follow?</source>
        <translation>¿Continúa?</translation>
    </message>
    <message>
        <source>Names in a text</source>
        <translation>Nombres en un texto</translation>
    </message>
    <message>
        <source>Two scores for each token</source>
        <translation>Dos puntuaciones para cada token</translation>
    </message>
    <message>
        <source>A score for each class</source>
        <translation>Una puntuación para cada clase</translation>
    </message>
    <message>
        <source>A score for each word of the vocabulary</source>
        <translation>Una puntuación para cada palabra del vocabulario</translation>
    </message>
    <message>
        <source>Two scores: continues, does not</source>
        <translation>Dos puntuaciones: continúa, no continúa</translation>
    </message>
    <message>
        <source>Scores of the tags for each token</source>
        <translation>Puntuaciones de las etiquetas para cada token</translation>
    </message>
    <message>
        <source>span classifier</source>
        <translation>clasificador de fragmentos</translation>
    </message>
    <message>
        <source>decoder</source>
        <translation>decodificador</translation>
    </message>
    <message>
        <source>classifier</source>
        <translation>clasificador</translation>
    </message>
    <message>
        <source>The first token&apos;s state, made ready for the whole text</source>
        <translation>El estado del primer token, preparado para representar todo el texto</translation>
    </message>
    <message>
        <source>pooler</source>
        <translation>agrupador (pooler)</translation>
    </message>
    <message>
        <source>transform</source>
        <translation>transformación</translation>
    </message>
    <message>
        <source>function</source>
        <translation>función</translation>
    </message>
    <message>
        <source>The first token alone</source>
        <translation>Solo el primer token</translation>
    </message>
    <message>
        <source>sequence output [:, 0]</source>
        <translation>salida de secuencia [:, 0]</translation>
    </message>
    <message>
        <source>The mean of all tokens&apos; states, as a unit vector</source>
        <translation>La media de los estados de todos los tokens, como vector unitario</translation>
    </message>
    <message>
        <source>mean pooling</source>
        <translation>agrupación por media</translation>
    </message>
    <message>
        <source>The hidden tokens alone</source>
        <translation>Solo los tokens ocultos</translation>
    </message>
    <message>
        <source>masked positions</source>
        <translation>posiciones enmascaradas</translation>
    </message>
    <message>
        <source>Taken apart: one score for the start, one for the end</source>
        <translation>Separadas: una puntuación para el inicio y otra para el fin</translation>
    </message>
    <message>
        <source>start and end logits</source>
        <translation>logits de inicio y fin</translation>
    </message>
    <message>
        <source>{detail}, the same weights as the token embeddings (tied)</source>
        <translation>{detail}, los mismos pesos que los embeddings de tokens (compartidos)</translation>
    </message>
    <message>
        <source>the same weights as the token embeddings (tied)</source>
        <translation>los mismos pesos que los embeddings de tokens (compartidos)</translation>
    </message>
    <message>
        <source>in {module}</source>
        <translation>en {module}</translation>
    </message>
    <message>
        <source>Each number squeezed between −1 and 1</source>
        <translation>Cada número comprimido entre −1 y 1</translation>
    </message>
    <message>
        <source>Negative numbers pressed towards zero</source>
        <translation>Números negativos acercados a cero</translation>
    </message>
    <message>
        <source>Negative numbers to zero</source>
        <translation>Números negativos a cero</translation>
    </message>
    <message>
        <source>Each number squeezed between 0 and 1</source>
        <translation>Cada número comprimido entre 0 y 1</translation>
    </message>
    <message>
        <source>{sizes} → {size:,}</source>
        <translation>{sizes} → {size:,}</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} row of {width:,}</source>
        <comment>{n:,} rows of {width:,}</comment>
        <translation>
            <numerusform>{n:,} fila de {width:,}</numerusform>
            <numerusform>{n:,} filas de {width:,}</numerusform>
        </translation>
    </message>
    <message>
        <source>{percent:.0f}% of them</source>
        <translation>el {percent:.0f}&#xa0;% de ellos</translation>
    </message>
    <message>
        <source>{number:,} numbers at a time</source>
        <translation>{number:,} números a la vez</translation>
    </message>
    <message>
        <source>Weighted sums</source>
        <translation>Sumas ponderadas</translation>
    </message>
    <message>
        <source>linear layer</source>
        <translation>capa lineal</translation>
    </message>
    <message>
        <source>embedding</source>
        <translation>embedding</translation>
    </message>
    <message>
        <source>Some numbers set to zero, at training only</source>
        <translation>Algunos números puestos a cero, solo al entrenar</translation>
    </message>
    <message>
        <source>dropout</source>
        <translation>dropout</translation>
    </message>
    <message>
        <source>Brought to one scale</source>
        <translation>Llevados a una misma escala</translation>
    </message>
    <message>
        <source>layer normalisation</source>
        <translation>normalización de capa</translation>
    </message>
    <message>
        <source>First or second text</source>
        <translation>Primer o segundo texto</translation>
    </message>
    <message>
        <source>token type embeddings</source>
        <translation>embeddings de tipo de token</translation>
    </message>
    <message>
        <source>Places in the window</source>
        <translation>Posiciones en la ventana</translation>
    </message>
    <message>
        <source>position embeddings</source>
        <translation>embeddings de posición</translation>
    </message>
    <message>
        <source>How far apart two tokens are</source>
        <translation>A qué distancia están dos tokens</translation>
    </message>
    <message>
        <source>relative positions</source>
        <translation>posiciones relativas</translation>
    </message>
    <message>
        <source>Word pieces</source>
        <translation>Piezas de palabras</translation>
    </message>
    <message>
        <source>token embeddings</source>
        <translation>embeddings de tokens</translation>
    </message>
    <message>
        <source>Every token&apos;s state</source>
        <translation>El estado de cada token</translation>
    </message>
    <message>
        <source>sequence output</source>
        <translation>salida de secuencia</translation>
    </message>
    <message>
        <source>a vocabulary of {number:,}</source>
        <translation>un vocabulario de {number:,}</translation>
    </message>
    <message>
        <source>The text&apos;s pieces, each by its number</source>
        <translation>Las piezas del texto, cada una por su número</translation>
    </message>
    <message>
        <source>token ids</source>
        <translation>ids de los tokens</translation>
    </message>
    <message>
        <source>To the width of the layers</source>
        <translation>Al ancho de las capas</translation>
    </message>
    <message>
        <source>projection of the embeddings</source>
        <translation>proyección de los embeddings</translation>
    </message>
    <message>
        <source>The same for every token</source>
        <translation>Igual para todos los tokens</translation>
    </message>
    <message>
        <source>Added up</source>
        <translation>Sumados</translation>
    </message>
    <message>
        <source>sum of the embeddings</source>
        <translation>suma de los embeddings</translation>
    </message>
    <message>
        <source>one set of weights, used {times} times</source>
        <translation>un conjunto de pesos, usado {times} veces</translation>
    </message>
    <message>
        <source>{sets} sets of weights, used {times} times</source>
        <translation>{sets} conjuntos de pesos, usados {times} veces</translation>
    </message>
    <message>
        <source>Every token looks at every other, layer by layer</source>
        <translation>Cada token mira a todos los demás, capa a capa</translation>
    </message>
    <message>
        <source>encoder layers</source>
        <translation>capas del codificador</translation>
    </message>
    <message>
        <source>{details}; {another}</source>
        <translation>{details}; {another}</translation>
    </message>
    <message numerus="yes">
        <source>{n} attention head of {width}</source>
        <comment>{n} attention heads of {width}</comment>
        <translation>
            <numerusform>{n} cabeza de atención de {width}</numerusform>
            <numerusform>{n} cabezas de atención de {width}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} attention head</source>
        <comment>{n} attention heads</comment>
        <translation>
            <numerusform>{n} cabeza de atención</numerusform>
            <numerusform>{n} cabezas de atención</numerusform>
        </translation>
    </message>
    <message>
        <source>feed-forward {sizes} with {function}</source>
        <translation>feed-forward {sizes} con {function}</translation>
    </message>
    <message>
        <source>feed-forward {sizes} with {function}, {number} in a row</source>
        <translation>feed-forward {sizes} con {function}, {number} seguidas</translation>
    </message>
    <message>
        <source>{path} could not be written: {reason}.</source>
        <translation>No se ha podido escribir {path}: {reason}.</translation>
    </message>
    <message>
        <source>Free some space or check the folder&apos;s permissions.</source>
        <translation>Libera espacio o comprueba los permisos de la carpeta.</translation>
    </message>
    <message>
        <source>Spanlight&apos;s own resources are missing.</source>
        <translation>Faltan los recursos propios de Spanlight.</translation>
    </message>
    <message>
        <source>The model {name} gave values that are not numbers.</source>
        <translation>El modelo {name} ha dado valores que no son números.</translation>
    </message>
    <message>
        <source>Its weights may be damaged: choose another model, or install this one again.</source>
        <translation>Puede que sus pesos estén dañados: elige otro modelo o vuelve a instalar este.</translation>
    </message>
    <message>
        <source>windows</source>
        <translation>ventanas</translation>
    </message>
    <message>
        <source>“{beginning}…” is too long to ask about.</source>
        <translation>«{beginning}…» es demasiado largo para preguntar por ello.</translation>
    </message>
    <message>
        <source>Ask about one word.</source>
        <translation>Pregunta por una sola palabra.</translation>
    </message>
    <message>
        <source>The model&apos;s tokenizer does not keep a blank apart from the words beside it.</source>
        <translation>El tokenizador del modelo no separa un hueco de las palabras contiguas.</translation>
    </message>
    <message>
        <source>Choose another model for filling in words.</source>
        <translation>Elige otro modelo para completar palabras.</translation>
    </message>
    <message>
        <source>pairs</source>
        <translation>pares</translation>
    </message>
    <message>
        <source>Type or open something first.</source>
        <translation>Escribe o abre algo primero.</translation>
    </message>
    <message>
        <source>There is no text to look at.</source>
        <translation>No hay ningún texto que examinar.</translation>
    </message>
    <message>
        <source>There is no question to look at.</source>
        <translation>No hay ninguna pregunta que examinar.</translation>
    </message>
    <message>
        <source>There is no blank to look at.</source>
        <translation>No hay ningún hueco que examinar.</translation>
    </message>
    <message>
        <source>Type ___ where a word is missing.</source>
        <translation>Escribe ___ donde falte una palabra.</translation>
    </message>
    <message>
        <source>There is no second passage to look at.</source>
        <translation>No hay un segundo pasaje que examinar.</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Inicio</translation>
    </message>
    <message>
        <source>End</source>
        <translation>Fin</translation>
    </message>
    <message>
        <source>“{token}”, position {position}</source>
        <translation>«{token}», posición {position}</translation>
    </message>
    <message>
        <source>outside this window: position {position} becomes {length}, its length, and is ignored</source>
        <translation>fuera de esta ventana: la posición {position} pasa a ser {length}, su longitud, y se ignora</translation>
    </message>
    <message>
        <source>(−log p(start) − log p(end)) / 2 (BERT, Devlin et al. 2019, section 4.2)</source>
        <translation>(−log p(inicio) − log p(fin)) / 2 (BERT, Devlin et al. 2019, sección 4.2)</translation>
    </message>
    <message>
        <source>mean of −log p(holds, or does not) over the classes (binary cross-entropy)</source>
        <translation>media de −log p(se cumple o no) sobre las clases (entropía cruzada binaria)</translation>
    </message>
    <message>
        <source>This model&apos;s texts are of one class each.</source>
        <translation>Cada texto de este modelo es de una sola clase.</translation>
    </message>
    <message>
        <source>Name one of: {classes}.</source>
        <translation>Indica una de estas: {classes}.</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>Clase</translation>
    </message>
    <message>
        <source>−log p(class) (BERT, Devlin et al. 2019, section 4.1)</source>
        <translation>−log p(clase) (BERT, Devlin et al. 2019, sección 4.1)</translation>
    </message>
    <message>
        <source>{model} gives {number} values at once.</source>
        <translation>{model} da {number} valores a la vez.</translation>
    </message>
    <message>
        <source>Choose a model that gives one.</source>
        <translation>Elige un modelo que dé uno.</translation>
    </message>
    <message>
        <source>{value:g}</source>
        <translation>{value:g}</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Valor</translation>
    </message>
    <message>
        <source>(value − right value)² (squared error)</source>
        <translation>(valor − valor correcto)² (error cuadrático)</translation>
    </message>
    <message>
        <source>The text has {blanks} blanks, and there are {words} right words.</source>
        <translation>El texto tiene {blanks} huecos y hay {words} palabras correctas.</translation>
    </message>
    <message>
        <source>Give one word for each blank.</source>
        <translation>Indica una palabra para cada hueco.</translation>
    </message>
    <message>
        <source>Blank {number}</source>
        <translation>Hueco {number}</translation>
    </message>
    <message>
        <source>“{word}”, outside this window</source>
        <translation>«{word}», fuera de esta ventana</translation>
    </message>
    <message>
        <source>“{words}”</source>
        <translation>«{words}»</translation>
    </message>
    <message>
        <source>mean of −log p(word) over the blanks (BERT, Devlin et al. 2019, section 3.1)</source>
        <translation>media de −log p(palabra) sobre los huecos (BERT, Devlin et al. 2019, sección 3.1)</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>Orden</translation>
    </message>
    <message>
        <source>−log p(follows, or other) (BERT, Devlin et al. 2019, section 3.1)</source>
        <translation>−log p(continúa, o no) (BERT, Devlin et al. 2019, sección 3.1)</translation>
    </message>
    <message>
        <source>mean of −log p(tag) over the words&apos; first pieces (BERT, Devlin et al. 2019, section 5.3)</source>
        <translation>media de −log p(etiqueta) sobre las primeras piezas de las palabras (BERT, Devlin et al. 2019, sección 5.3)</translation>
    </message>
    <message>
        <source>The model has no tag for {kind}.</source>
        <translation>El modelo no tiene ninguna etiqueta para {kind}.</translation>
    </message>
    <message>
        <source>The model has no tag for words outside names.</source>
        <translation>El modelo no tiene ninguna etiqueta para palabras que no son nombres.</translation>
    </message>
    <message>
        <source>Its tags are: {tags}.</source>
        <translation>Sus etiquetas son: {tags}.</translation>
    </message>
    <message>
        <source>holds</source>
        <translation>se cumple</translation>
    </message>
    <message>
        <source>does not hold</source>
        <translation>no se cumple</translation>
    </message>
    <message>
        <source>Following the gradients</source>
        <translation>Siguiendo los gradientes</translation>
    </message>
    <message>
        <source>{model} has no layer {layer}.</source>
        <translation>{model} no tiene la capa {layer}.</translation>
    </message>
    <message>
        <source>It has {layers}, counted from 0 to {last}.</source>
        <translation>Tiene {layers}, contadas de 0 a {last}.</translation>
    </message>
    <message>
        <source>Only an answer to a question has a start and an end.</source>
        <translation>Solo la respuesta a una pregunta tiene inicio y fin.</translation>
    </message>
    <message>
        <source>Look into a question&apos;s answer.</source>
        <translation>Mira por dentro la respuesta a una pregunta.</translation>
    </message>
    <message>
        <source>follows</source>
        <translation>continúa</translation>
    </message>
    <message>
        <source>other</source>
        <translation>no continúa</translation>
    </message>
    <message>
        <source>no answer</source>
        <translation>sin respuesta</translation>
    </message>
    <message>
        <source>Only a question can go without an answer.</source>
        <translation>Solo una pregunta puede quedar sin respuesta.</translation>
    </message>
    <message>
        <source>Choose another target.</source>
        <translation>Elige otro objetivo.</translation>
    </message>
    <message>
        <source>There is no answer in this part of the text.</source>
        <translation>No hay respuesta en esta parte del texto.</translation>
    </message>
    <message>
        <source>Look into another answer.</source>
        <translation>Mira por dentro otra respuesta.</translation>
    </message>
    <message>
        <source>{tag} for “{word}”</source>
        <translation>{tag} para «{word}»</translation>
    </message>
    <message>
        <source>There is no blank in this text.</source>
        <translation>No hay ningún hueco en este texto.</translation>
    </message>
    <message>
        <source>Type ___ where a word is wanted.</source>
        <translation>Escribe ___ donde quieras una palabra.</translation>
    </message>
    <message>
        <source>“{word}” is {number} pieces in this model&apos;s vocabulary; one blank takes one.</source>
        <translation>«{word}» son {number} piezas en el vocabulario de este modelo; en un hueco cabe una.</translation>
    </message>
    <message>
        <source>“{word}” cannot be spelled in this model&apos;s vocabulary; one blank takes one.</source>
        <translation>«{word}» no se puede escribir con el vocabulario de este modelo; en un hueco cabe una pieza.</translation>
    </message>
    <message>
        <source>Choose a word that the vocabulary holds whole.</source>
        <translation>Elige una palabra que esté entera en el vocabulario.</translation>
    </message>
    <message>
        <source>There is no word at this place.</source>
        <translation>No hay ninguna palabra en este lugar.</translation>
    </message>
    <message>
        <source>Choose a word of the text.</source>
        <translation>Elige una palabra del texto.</translation>
    </message>
    <message>
        <source>There is no class “{label}”.</source>
        <translation>No existe la clase «{label}».</translation>
    </message>
    <message>
        <source>There are: {classes}.</source>
        <translation>Existen estas: {classes}.</translation>
    </message>
    <message>
        <source>sections</source>
        <translation>secciones</translation>
    </message>
    <message>
        <source>The question number {number} is empty.</source>
        <translation>La pregunta número {number} está vacía.</translation>
    </message>
    <message>
        <source>There is no text to ask number {number}.</source>
        <translation>No hay ningún texto al que hacer la pregunta número {number}.</translation>
    </message>
    <message>
        <source>There is no text to ask.</source>
        <translation>No hay ningún texto al que preguntar.</translation>
    </message>
    <message>
        <source>A calibration needs questions that the text answers and questions that it does not.</source>
        <translation>Una calibración necesita preguntas que el texto responda y preguntas que no.</translation>
    </message>
    <message>
        <source>Give a file with both.</source>
        <translation>Indica un archivo con ambas.</translation>
    </message>
    <message>
        <source>A temperature needs texts that are classified rightly and texts that are not.</source>
        <translation>Una temperatura necesita textos bien clasificados y textos que no lo estén.</translation>
    </message>
    <message>
        <source>Give a file with more texts, none of which the model was taught with.</source>
        <translation>Indica un archivo con más textos, ninguno de los que sirvieron para enseñar al modelo.</translation>
    </message>
    <message>
        <source>The model&apos;s tokenizer has no token for a blank.</source>
        <translation>El tokenizador del modelo no tiene ningún token para un hueco.</translation>
    </message>
    <message>
        <source>Choose a model that was taught with masked words, or fetch a whole copy of this one.</source>
        <translation>Elige un modelo que haya aprendido con palabras enmascaradas o descarga una copia completa de este.</translation>
    </message>
    <message>
        <source>The model&apos;s tokenizer does not set a question before a text.</source>
        <translation>El tokenizador del modelo no pone una pregunta delante de un texto.</translation>
    </message>
    <message>
        <source>Choose a model that was made for that, or fetch a whole copy of this one.</source>
        <translation>Elige un modelo hecho para eso o descarga una copia completa de este.</translation>
    </message>
    <message>
        <source>The model&apos;s windows are too short: its tokenizer leaves no room in them for a text.</source>
        <translation>Las ventanas del modelo son demasiado cortas: su tokenizador no deja sitio en ellas para un texto.</translation>
    </message>
    <message>
        <source>Going on with learning</source>
        <translation>Continuando el aprendizaje</translation>
    </message>
    <message>
        <source>Getting ready to learn</source>
        <translation>Preparando el aprendizaje</translation>
    </message>
    <message>
        <source>The loss is not a number any more.</source>
        <translation>La pérdida ya no es un número.</translation>
    </message>
    <message>
        <source>Teach again.</source>
        <translation>Vuelve a enseñar.</translation>
    </message>
    <message>
        <source>id, context, question and answers</source>
        <translation>id, context, question y answers</translation>
    </message>
    <message>
        <source>“{text}” is not a file of examples.</source>
        <translation>«{text}» no es un archivo de ejemplos.</translation>
    </message>
    <message>
        <source>Write PATH, PATH*2 or PATH?labels=0:no,1:yes.</source>
        <translation>Escribe RUTA, RUTA*2 o RUTA?labels=0:no,1:sí.</translation>
    </message>
    <message>
        <source>{name} does not hold examples, neither as SQuAD&apos;s JSON nor as JSON Lines.</source>
        <translation>{name} no contiene ejemplos, ni como JSON de SQuAD ni como JSON Lines.</translation>
    </message>
    <message>
        <source>id, title and text</source>
        <translation>id, title y text</translation>
    </message>
    <message>
        <source>The question {question} asks the document “{name}”, which {file} does not hold.</source>
        <translation>La pregunta {question} se hace al documento «{name}», que no está en {file}.</translation>
    </message>
    <message>
        <source>That file stands beside the questions&apos; and has a row with id, title and text for each document.</source>
        <translation>Ese archivo está junto al de las preguntas y tiene una fila con id, title y text para cada documento.</translation>
    </message>
    <message>
        <source>{wrong} of {answers} answers in {name} do not stand where their answer_start says.</source>
        <translation>{wrong} de {answers} respuestas de {name} no están donde dice su answer_start.</translation>
    </message>
    <message>
        <source>Count in characters (code points) from the context&apos;s first, 0; see the question {question}.</source>
        <translation>Cuenta en caracteres (puntos de código) desde el primero del contexto, 0; véase la pregunta {question}.</translation>
    </message>
    <message>
        <source>text and label</source>
        <translation>text y label</translation>
    </message>
    <message>
        <source>Each row needs {fields}.</source>
        <translation>Cada fila necesita {fields}.</translation>
    </message>
    <message>
        <source>{name} does not hold examples: question {number} has no “{key}”.</source>
        <translation>{name} no contiene ejemplos: la pregunta {number} no tiene «{key}».</translation>
    </message>
    <message>
        <source>{name} does not hold examples: row {number} has no “{key}”.</source>
        <translation>{name} no contiene ejemplos: la fila {number} no tiene «{key}».</translation>
    </message>
    <message>
        <source>{name} does not hold examples: question {number} is not of that form.</source>
        <translation>{name} no contiene ejemplos: la pregunta {number} no tiene esa forma.</translation>
    </message>
    <message>
        <source>{name} does not hold examples: row {number} is not of that form.</source>
        <translation>{name} no contiene ejemplos: la fila {number} no tiene esa forma.</translation>
    </message>
    <message>
        <source>{name} cannot be loaded to train on.</source>
        <translation>No se puede cargar {name} para entrenar.</translation>
    </message>
    <message>
        <source>Only a BERT has both heads of pretraining.</source>
        <translation>Solo un BERT tiene las dos cabezas del preentrenamiento.</translation>
    </message>
    <message>
        <source>Fetch a whole copy of it, or choose another base.</source>
        <translation>Descarga una copia completa o elige otra base.</translation>
    </message>
    <message>
        <source>The teacher must be a Hugging Face checkpoint folder.</source>
        <translation>El profesor tiene que ser una carpeta de checkpoint de Hugging Face.</translation>
    </message>
    <message>
        <source>The base must be a Hugging Face checkpoint folder.</source>
        <translation>La base tiene que ser una carpeta de checkpoint de Hugging Face.</translation>
    </message>
    <message>
        <source>{name} has no {file}.</source>
        <translation>{name} no tiene {file}.</translation>
    </message>
    <message>
        <source>The tokenizer of {name} cannot be read.</source>
        <translation>No se puede leer el tokenizador de {name}.</translation>
    </message>
    <message>
        <source>The examples have one label only.</source>
        <translation>Los ejemplos tienen una sola etiqueta.</translation>
    </message>
    <message>
        <source>Give examples of at least two.</source>
        <translation>Da ejemplos de al menos dos.</translation>
    </message>
    <message>
        <source>Dev has the label “{label}” that the examples lack.</source>
        <translation>Los datos de desarrollo tienen la etiqueta «{label}», que falta en los ejemplos.</translation>
    </message>
    <message>
        <source>Name the labels alike.</source>
        <translation>Nombra igual las etiquetas.</translation>
    </message>
    <message>
        <source>There are no examples to learn from.</source>
        <translation>No hay ejemplos de los que aprender.</translation>
    </message>
    <message>
        <source>Give files with at least one row.</source>
        <translation>Indica archivos con al menos una fila.</translation>
    </message>
    <message>
        <source>There are no dev examples to measure with.</source>
        <translation>No hay datos de desarrollo con los que medir.</translation>
    </message>
    <message>
        <source>Give a dev file with at least one row.</source>
        <translation>Indica un archivo de desarrollo con al menos una fila.</translation>
    </message>
    <message>
        <source>Dev has the tag “{tag}” that the examples lack.</source>
        <translation>Los datos de desarrollo tienen la etiqueta «{tag}», que falta en los ejemplos.</translation>
    </message>
    <message>
        <source>Name the kinds alike.</source>
        <translation>Nombra igual los tipos.</translation>
    </message>
    <message>
        <source>The examples hold no name.</source>
        <translation>Los ejemplos no contienen ningún nombre.</translation>
    </message>
    <message>
        <source>Give sentences whose words are tagged.</source>
        <translation>Da frases cuyas palabras estén etiquetadas.</translation>
    </message>
    <message>
        <source>{name} does not hold running text.</source>
        <translation>{name} no contiene texto corrido.</translation>
    </message>
    <message>
        <source>Give rows or plain text files.</source>
        <translation>Indica filas o archivos de texto sin formato.</translation>
    </message>
    <message>
        <source>Each row needs a context or a text.</source>
        <translation>Cada fila necesita «context» o «text».</translation>
    </message>
    <message>
        <source>{name} does not hold tagged words: see row {row}.</source>
        <translation>{name} no contiene palabras etiquetadas: véase la fila {row}.</translation>
    </message>
    <message>
        <source>Each row needs tokens and as many tags: O, B-KIND or I-KIND.</source>
        <translation>Cada fila necesita «tokens» y otras tantas «tags»: O, B-TIPO o I-TIPO.</translation>
    </message>
    <message>
        <source>{name} does not hold tagged words: see line {line}.</source>
        <translation>{name} no contiene palabras etiquetadas: véase la línea {line}.</translation>
    </message>
    <message>
        <source>Each line needs a word and, in the last column, its tag: O, B-KIND or I-KIND.</source>
        <translation>Cada línea necesita una palabra y, en la última columna, su etiqueta: O, B-TIPO o I-TIPO.</translation>
    </message>
    <message>
        <source>A teacher cannot be imitated so.</source>
        <translation>No se puede imitar así a un profesor.</translation>
    </message>
    <message>
        <source>imitate is from 0 to 1, temperature above 0.</source>
        <translation>imitate va de 0 a 1; temperature es mayor que 0.</translation>
    </message>
    <message>
        <source>{name} reads at most {longest} tokens at a time, and would need {needed}.</source>
        <translation>{name} lee como máximo {longest} tokens a la vez, y necesitaría {needed}.</translation>
    </message>
    <message>
        <source>Give a smaller length.</source>
        <translation>Indica una longitud menor.</translation>
    </message>
    <message>
        <source>{name} cannot answer questions.</source>
        <translation>{name} no puede responder a preguntas.</translation>
    </message>
    <message>
        <source>Choose another teacher.</source>
        <translation>Elige otro profesor.</translation>
    </message>
    <message>
        <source>Student and teacher do not share their word pieces: the teacher lacks {missing:,} of {pieces:,}, such as “{piece}”.</source>
        <translation>Alumno y profesor no comparten sus piezas de palabras: al profesor le faltan {missing:,} de {pieces:,}, como «{piece}».</translation>
    </message>
    <message>
        <source>Choose a teacher whose tokenizer has the same.</source>
        <translation>Elige un profesor cuyo tokenizador tenga las mismas.</translation>
    </message>
    <message>
        <source>There is no task “{task}” to train.</source>
        <translation>No existe la tarea «{task}» para entrenar.</translation>
    </message>
    <message>
        <source>Choose one of {tasks}.</source>
        <translation>Elige una de {tasks}.</translation>
    </message>
    <message>
        <source>Only question answering is learnt from a teacher.</source>
        <translation>De un profesor solo se aprende a responder a preguntas.</translation>
    </message>
    <message>
        <source>Leave the teacher out.</source>
        <translation>Quita el profesor.</translation>
    </message>
    <message>
        <source>Choose auto or cpu.</source>
        <translation>Elige auto o cpu.</translation>
    </message>
    <message>
        <source>There is no device “{device}” to train on.</source>
        <translation>No existe el dispositivo «{device}» para entrenar.</translation>
    </message>
    <message>
        <source>The loss is not a number any more at step {step}.</source>
        <translation>La pérdida ya no es un número en el paso {step}.</translation>
    </message>
    <message>
        <source>Use a lower learning rate.</source>
        <translation>Usa una tasa de aprendizaje menor.</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Entrenando</translation>
    </message>
    <message>
        <source>No text of it comes along.</source>
        <translation>Su texto no viene incluido.</translation>
    </message>
    <message>
        <source>not stated</source>
        <translation>sin indicar</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>Licencia</translation>
    </message>
    <message>
        <source>version {version}</source>
        <translation>versión {version}</translation>
    </message>
    <message>
        <source>Licence of {part}</source>
        <translation>Licencia de {part}</translation>
    </message>
    <message>
        <source>Licences</source>
        <translation>Licencias</translation>
    </message>
    <message>
        <source>Search parts and licences</source>
        <translation>Buscar componentes y licencias</translation>
    </message>
    <message>
        <source>What Spanlight is made of</source>
        <translation>De qué está hecho Spanlight</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>Sin resultados</translation>
    </message>
    <message>
        <source>No part, and no licence, fits this search.</source>
        <translation>Ningún componente ni licencia coincide con esta búsqueda.</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>Mostrar todo</translation>
    </message>
    <message>
        <source>Answers questions about your own documents by lighting up the exact words of the answer, on your own computer.</source>
        <translation>Responde a preguntas sobre tus propios documentos resaltando las palabras exactas de la respuesta, en tu propio ordenador.</translation>
    </message>
    <message>
        <source>Nothing of it ever leaves this computer.</source>
        <translation>Nada de ello sale nunca de este ordenador.</translation>
    </message>
    <message>
        <source>Spanlight&apos;s icon</source>
        <translation>Icono de Spanlight</translation>
    </message>
    <message>
        <source>Version {version} · {copyright}</source>
        <translation>Versión {version} · {copyright}</translation>
    </message>
    <message>
        <source>All licences</source>
        <translation>Todas las licencias</translation>
    </message>
    <message>
        <source>Settings: Updates</source>
        <translation>Ajustes: Actualizaciones</translation>
    </message>
    <message>
        <source>Show the welcome again</source>
        <translation>Ver de nuevo la bienvenida</translation>
    </message>
    <message>
        <source>not known: the models cannot be started</source>
        <translation>se desconoce: no se pueden iniciar los modelos</translation>
    </message>
    <message>
        <source>System</source>
        <translation>Sistema</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>Procesador</translation>
    </message>
    <message numerus="yes">
        <source>{processor}, {n:,} core</source>
        <comment>{processor}, {n:,} cores</comment>
        <translation>
            <numerusform>{processor}, {n:,} núcleo</numerusform>
            <numerusform>{processor}, {n:,} núcleos</numerusform>
        </translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Memoria</translation>
    </message>
    <message>
        <source>Graphics</source>
        <translation>Gráficos</translation>
    </message>
    <message>
        <source>Models run on</source>
        <translation>Los modelos usan</translation>
    </message>
    <message>
        <source>Being looked up…</source>
        <translation>Consultando…</translation>
    </message>
    <message>
        <source>Free software, under the Apache License 2.0</source>
        <translation>Software libre, con la licencia Apache 2.0</translation>
    </message>
    <message>
        <source>Asked for only when you press the button</source>
        <translation>Solo se buscan al pulsar el botón</translation>
    </message>
    <message>
        <source>A sample that is asked for you</source>
        <translation>Un documento de ejemplo con su pregunta</translation>
    </message>
    <message>
        <source>What helps to find it, to copy</source>
        <translation>Datos para encontrar la causa, listos para copiar</translation>
    </message>
    <message>
        <source>Updates</source>
        <translation>Actualizaciones</translation>
    </message>
    <message>
        <source>First steps</source>
        <translation>Primeros pasos</translation>
    </message>
    <message>
        <source>When something is wrong</source>
        <translation>Cuando algo va mal</translation>
    </message>
    <message>
        <source>Versions</source>
        <translation>Versiones</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>Este ordenador</translation>
    </message>
    <message>
        <source>Where everything lies</source>
        <translation>Dónde está todo</translation>
    </message>
    <message>
        <source>Open the folder</source>
        <translation>Abrir la carpeta</translation>
    </message>
    <message>
        <source>Open the folder: {folder}</source>
        <translation>Abrir la carpeta: {folder}</translation>
    </message>
    <message>
        <source>About</source>
        <translation>Acerca de Spanlight</translation>
    </message>
    <message>
        <source>Next section</source>
        <translation>Sección siguiente</translation>
    </message>
    <message>
        <source>Section before</source>
        <translation>Sección anterior</translation>
    </message>
    <message>
        <source>Search licences</source>
        <translation>Buscar licencias</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Atrás</translation>
    </message>
    <message>
        <source>Back  (Esc)</source>
        <translation>Atrás  (Esc)</translation>
    </message>
    <message>
        <source>No document with a text is open.</source>
        <translation>No hay abierto ningún documento con texto.</translation>
    </message>
    <message>
        <source>Open files (Ctrl+O), or ask a library.</source>
        <translation>Abre archivos (Ctrl+O) o pregunta a una biblioteca.</translation>
    </message>
    <message numerus="yes">
        <source>Not asked, as it is not open: {names}.</source>
        <comment>Not asked, as they are not open: {names}.</comment>
        <translation>
            <numerusform>No se le ha preguntado porque no está abierto: {names}.</numerusform>
            <numerusform>No se les ha preguntado porque no están abiertos: {names}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Its tab says why.</source>
        <comment>Their tabs say why.</comment>
        <translation>
            <numerusform>Su pestaña dice por qué.</numerusform>
            <numerusform>Sus pestañas dicen por qué.</numerusform>
        </translation>
    </message>
    <message>
        <source>the work on Ask</source>
        <translation>el trabajo en «Preguntar»</translation>
    </message>
    <message>
        <source>Waiting for the reader</source>
        <translation>Esperando al lector</translation>
    </message>
    <message>
        <source>Broke off</source>
        <translation>Interrumpido</translation>
    </message>
    <message>
        <source>{name} was closed.</source>
        <translation>{name} se ha cerrado.</translation>
    </message>
    <message>
        <source>This text was closed.</source>
        <translation>Este texto se ha cerrado.</translation>
    </message>
    <message>
        <source>Bring it back with Ctrl+Shift+T.</source>
        <translation>Recupéralo con Ctrl+Mayús+T.</translation>
    </message>
    <message>
        <source>Copied with its source</source>
        <translation>Copiado con su fuente</translation>
    </message>
    <message>
        <source>Copy the answer with its source</source>
        <translation>Copiar la respuesta con su fuente</translation>
    </message>
    <message>
        <source>Copy the answer with its sentence, file and page  (Ctrl+C)</source>
        <translation>Copiar la respuesta con su frase, archivo y página  (Ctrl+C)</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Guardar</translation>
    </message>
    <message>
        <source>Save the answers</source>
        <translation>Guardar las respuestas</translation>
    </message>
    <message>
        <source>Save the answers to a file</source>
        <translation>Guardar las respuestas en un archivo</translation>
    </message>
    <message>
        <source>Ask again</source>
        <translation>Preguntar otra vez</translation>
    </message>
    <message>
        <source>Read every passage</source>
        <translation>Leer todos los pasajes</translation>
    </message>
    <message>
        <source>Select the right words in the document first  (Esc there, then E)</source>
        <translation>Selecciona antes las palabras correctas en el documento  (Esc ahí, luego E)</translation>
    </message>
    <message>
        <source>Read as “{question}”</source>
        <translation>Se leyó «{question}»</translation>
    </message>
    <message>
        <source>Put a word in quotation marks to have it read as it is typed</source>
        <translation>Ponga una palabra entre comillas para que se lea tal como está escrita</translation>
    </message>
    <message>
        <source>Answer: {words}</source>
        <translation>Respuesta: {words}</translation>
    </message>
    <message>
        <source>The nearest words are not sure enough ({percent}, {place}). How sure an answer must be is set below.</source>
        <translation>Las palabras más cercanas no son lo bastante seguras ({percent}, {place}). Más abajo se ajusta la seguridad que debe tener una respuesta.</translation>
    </message>
    <message>
        <source>Hide</source>
        <translation>Ocultar</translation>
    </message>
    <message>
        <source>Why not?</source>
        <translation>¿Por qué no?</translation>
    </message>
    <message>
        <source>Hide the nearest words</source>
        <translation>Ocultar las palabras más cercanas</translation>
    </message>
    <message>
        <source>Why not? Show the nearest words</source>
        <translation>¿Por qué no? Mostrar las palabras más cercanas</translation>
    </message>
    <message>
        <source>Other places</source>
        <translation>Otros lugares</translation>
    </message>
    <message>
        <source>Ask something that the text may answer. The answer&apos;s exact words light up in it.</source>
        <translation>Pregunta algo que el texto pueda responder. Las palabras exactas de la respuesta se resaltan en él.</translation>
    </message>
    <message>
        <source>Ask something that the open documents may answer. The best places are listed here, by document.</source>
        <translation>Pregunta algo que los documentos abiertos puedan responder. Los mejores lugares aparecen aquí, por documento.</translation>
    </message>
    <message>
        <source>Ask something that the files may answer. The best places are listed here, by document.</source>
        <translation>Pregunta algo que los archivos puedan responder. Los mejores lugares aparecen aquí, por documento.</translation>
    </message>
    <message>
        <source>Fewer left unanswered, more wrong answers</source>
        <translation>Menos preguntas sin responder, más respuestas erróneas</translation>
    </message>
    <message>
        <source>Fewer wrong answers, more left unanswered</source>
        <translation>Menos respuestas erróneas, más preguntas sin responder</translation>
    </message>
    <message>
        <source>Ask: {question}</source>
        <translation>Preguntar: {question}</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Cambiar</translation>
    </message>
    <message>
        <source>Change the confidence threshold</source>
        <translation>Cambiar el umbral de seguridad</translation>
    </message>
    <message>
        <source>Confidence threshold, in percent</source>
        <translation>Umbral de seguridad, en porcentaje</translation>
    </message>
    <message>
        <source>Less: fewer left unanswered, more wrong answers. More: fewer wrong answers, more left unanswered.</source>
        <translation>Más bajo: menos preguntas sin responder, más respuestas erróneas. Más alto: menos respuestas erróneas, más preguntas sin responder.</translation>
    </message>
    <message>
        <source>Usual</source>
        <translation>Recomendado</translation>
    </message>
    <message>
        <source>Usual confidence threshold</source>
        <translation>Umbral de seguridad recomendado</translation>
    </message>
    <message>
        <source>What was found to be best for this reader</source>
        <translation>El que mejor resultado da con este lector</translation>
    </message>
    <message>
        <source>Answers if it is at least {percent} likely that the text answers</source>
        <translation>Responde si la probabilidad de que el texto responda es al menos del {percent}</translation>
    </message>
    <message>
        <source>The percentage beside an answer is less: it is that of these very words</source>
        <translation>El porcentaje junto a una respuesta es menor: es el de esas palabras exactas</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Listo</translation>
    </message>
    <message>
        <source>Answers if sure enough</source>
        <translation>Responde solo si está seguro</translation>
    </message>
    <message>
        <source>Question and answers</source>
        <translation>Pregunta y respuestas</translation>
    </message>
    <message>
        <source>See stronger readers</source>
        <translation>Ver lectores más potentes</translation>
    </message>
    <message>
        <source>F3 next</source>
        <translation>F3 siguiente</translation>
    </message>
    <message>
        <source>Also try</source>
        <translation>Prueba también</translation>
    </message>
    <message>
        <source>{note}, before anything was found.</source>
        <translation>{note}, antes de encontrar nada.</translation>
    </message>
    <message>
        <source>Nothing sure so far.</source>
        <translation>Nada seguro por ahora.</translation>
    </message>
    <message>
        <source>Asked as soon as the file is open</source>
        <translation>Se preguntará en cuanto se abra el archivo</translation>
    </message>
    <message numerus="yes">
        <source>Waiting for the text of {n:,} page</source>
        <comment>Waiting for the text of {n:,} pages</comment>
        <translation>
            <numerusform>Esperando el texto de {n:,} página</numerusform>
            <numerusform>Esperando el texto de {n:,} páginas</numerusform>
        </translation>
    </message>
    <message>
        <source>Asked as soon as the files are open</source>
        <translation>Se preguntará en cuanto se abran los archivos</translation>
    </message>
    <message>
        <source>Asked after the question in another tab</source>
        <translation>Se preguntará tras la pregunta de otra pestaña</translation>
    </message>
    <message>
        <source>{note}: begins again after the question in another tab</source>
        <translation>{note}: vuelve a empezar tras la pregunta de otra pestaña</translation>
    </message>
    <message>
        <source>Provisional: still reading</source>
        <translation>Provisional: la lectura sigue</translation>
    </message>
    <message>
        <source>{note}: the best so far</source>
        <translation>{note}: lo mejor hasta ahora</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} page was not read: the text in its picture is not recognised.</source>
        <comment>{n:,} pages were not read: the text in their pictures is not recognised.</comment>
        <translation>
            <numerusform>No se ha leído {n:,} página: el texto de su imagen no está reconocido.</numerusform>
            <numerusform>No se han leído {n:,} páginas: el texto de sus imágenes no está reconocido.</numerusform>
        </translation>
    </message>
    <message>
        <source>Other places so far</source>
        <translation>Otros lugares hasta ahora</translation>
    </message>
    <message>
        <source>The text was changed after this was asked.</source>
        <translation>El texto ha cambiado después de hacer esta pregunta.</translation>
    </message>
    <message>
        <source>Not marked on the page.</source>
        <translation>Sin resaltar en la página.</translation>
    </message>
    <message>
        <source>Asked in {library}: “{question}”</source>
        <translation>Preguntado en {library}: «{question}»</translation>
    </message>
    <message>
        <source>Asked in the open documents: “{question}”</source>
        <translation>Preguntado en los documentos abiertos: «{question}»</translation>
    </message>
    <message>
        <source>Asked: “{question}”</source>
        <translation>Preguntado: «{question}»</translation>
    </message>
    <message>
        <source>Use {model}</source>
        <translation>Usar {model}</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>Preguntar</translation>
    </message>
    <message>
        <source>Go to the question</source>
        <translation>Ir a la pregunta</translation>
    </message>
    <message>
        <source>Ask this document, the open ones, or a library</source>
        <translation>Preguntar a este documento, a los abiertos o a una biblioteca</translation>
    </message>
    <message>
        <source>Stop; the best answer so far stays. Else from the question or the document to the answer</source>
        <translation>Parar; queda la mejor respuesta hasta ahora. Si no, de la pregunta o el documento a la respuesta</translation>
    </message>
    <message>
        <source>Next answer</source>
        <translation>Respuesta siguiente</translation>
    </message>
    <message>
        <source>Previous answer</source>
        <translation>Respuesta anterior</translation>
    </message>
    <message>
        <source>Earlier questions, in the question&apos;s box</source>
        <translation>Preguntas anteriores, en el cuadro de la pregunta</translation>
    </message>
    <message>
        <source>The answer is right</source>
        <translation>La respuesta es correcta</translation>
    </message>
    <message>
        <source>The words selected in the document are right instead; in a text Esc first</source>
        <translation>Lo correcto son las palabras seleccionadas en el documento; en un texto, antes Esc</translation>
    </message>
    <message>
        <source>The answer is not in the text</source>
        <translation>La respuesta no está en el texto</translation>
    </message>
    <message>
        <source>Copy the answer with its sentence, or what is selected</source>
        <translation>Copiar la respuesta con su frase, o lo seleccionado</translation>
    </message>
    <message>
        <source>Look inside: how the model came to the answer</source>
        <translation>Ver por dentro: cómo ha llegado el modelo a la respuesta</translation>
    </message>
    <message>
        <source>Find in the text</source>
        <translation>Buscar en el texto</translation>
    </message>
    <message>
        <source>Open files</source>
        <translation>Abrir archivos</translation>
    </message>
    <message>
        <source>List of documents</source>
        <translation>Lista de documentos</translation>
    </message>
    <message>
        <source>Find a document</source>
        <translation>Buscar un documento</translation>
    </message>
    <message>
        <source>New text</source>
        <translation>Texto nuevo</translation>
    </message>
    <message>
        <source>Close the text</source>
        <translation>Cerrar el texto</translation>
    </message>
    <message>
        <source>Bring a closed text back</source>
        <translation>Recuperar un texto cerrado</translation>
    </message>
    <message>
        <source>Keep open what an answer has opened</source>
        <translation>Mantener abierto lo que ha abierto una respuesta</translation>
    </message>
    <message>
        <source>Next text</source>
        <translation>Texto siguiente</translation>
    </message>
    <message>
        <source>Go to a page, a slide, a sheet or a mail, or to a line of a text</source>
        <translation>Ir a una página, una diapositiva, una hoja o un correo, o a una línea de un texto</translation>
    </message>
    <message>
        <source>Outline of the document</source>
        <translation>Esquema del documento</translation>
    </message>
    <message>
        <source>Larger, smaller, usual size</source>
        <translation>Más grande, más pequeño, tamaño normal</translation>
    </message>
    <message>
        <source>The whole page</source>
        <translation>La página entera</translation>
    </message>
    <message>
        <source>Keep these as a library</source>
        <translation>Guardar como biblioteca</translation>
    </message>
    <message>
        <source>Not now</source>
        <translation>Ahora no</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} document was opened. As a library they can be asked all at once.</source>
        <comment>{n:,} documents were opened. As a library they can be asked all at once.</comment>
        <translation>
            <numerusform>Se ha abierto {n:,} documento. Como biblioteca se le puede preguntar cuando quieras.</numerusform>
            <numerusform>Se han abierto {n:,} documentos. Como biblioteca se puede preguntar a todos a la vez.</numerusform>
        </translation>
    </message>
    <message>
        <source>These lines were pasted as one question.</source>
        <translation>Estas líneas se han pegado como una sola pregunta.</translation>
    </message>
    <message>
        <source>Is each a question of its own? A table has a column for each.</source>
        <translation>¿Es cada una una pregunta propia? Una tabla tiene una columna para cada una.</translation>
    </message>
    <message>
        <source>Table with these questions</source>
        <translation>Tabla con estas preguntas</translation>
    </message>
    <message>
        <source>Very long lines were broken, so that the text can be shown.</source>
        <translation>Las líneas muy largas se han partido para poder mostrar el texto.</translation>
    </message>
    <message>
        <source>Where a line has no blank, a line end was added; an answer there may be broken by it.</source>
        <translation>Donde una línea no tiene espacios se ha añadido un salto de línea, que puede partir una respuesta.</translation>
    </message>
    <message>
        <source>A break stands in place of a blank; the answers are not touched by it.</source>
        <translation>Un salto ocupa el lugar de un espacio; las respuestas no se ven afectadas.</translation>
    </message>
    <message>
        <source>{name}, answers</source>
        <translation>{name}, respuestas</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>Respuestas</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} answer saved to {files}</source>
        <comment>{n:,} answers saved to {files}</comment>
        <translation>
            <numerusform>{n:,} respuesta guardada en {files}</numerusform>
            <numerusform>{n:,} respuestas guardadas en {files}</numerusform>
        </translation>
    </message>
    <message>
        <source>No answer was saved to a file</source>
        <translation>No se ha guardado ninguna respuesta en un archivo</translation>
    </message>
    <message>
        <source>The question</source>
        <translation>La pregunta</translation>
    </message>
    <message>
        <source>The document</source>
        <translation>El documento</translation>
    </message>
    <message>
        <source>This document</source>
        <translation>Este documento</translation>
    </message>
    <message>
        <source>This text</source>
        <translation>Este texto</translation>
    </message>
    <message>
        <source>{model} answers from now on</source>
        <translation>{model} responde desde ahora</translation>
    </message>
    <message>
        <source>A stronger reader is installed: {model}.</source>
        <translation>Hay instalado un lector más potente: {model}.</translation>
    </message>
    <message>
        <source>A stronger reader may be surer.</source>
        <translation>Un lector más potente puede estar más seguro.</translation>
    </message>
    <message>
        <source>All are large or slow for this computer.</source>
        <translation>Todos son grandes o lentos para este ordenador.</translation>
    </message>
    <message>
        <source>They are: {models}.</source>
        <translation>Son: {models}.</translation>
    </message>
    <message>
        <source>Recommended: {model}.</source>
        <translation>Recomendado: {model}.</translation>
    </message>
    <message>
        <source>Also: {models}.</source>
        <translation>También: {models}.</translation>
    </message>
    <message>
        <source>The document has changed since this was asked.</source>
        <translation>El documento ha cambiado desde que se preguntó esto.</translation>
    </message>
    <message>
        <source>This file is read differently now.</source>
        <translation>Este archivo se lee ahora de otra manera.</translation>
    </message>
    <message>
        <source>Ask again to see what it says now.</source>
        <translation>Pregunta de nuevo para ver qué dice ahora.</translation>
    </message>
    <message>
        <source>The words were found again in another place.</source>
        <translation>Las palabras se han encontrado en otro lugar.</translation>
    </message>
    <message>
        <source>Its answer does not stand in it any more. Ask again to see what it says now.</source>
        <translation>Su respuesta ya no está en él. Pregunta de nuevo para ver qué dice ahora.</translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation>Añadir carpeta…</translation>
    </message>
    <message>
        <source>Keep a folder as a library: all its documents can be asked</source>
        <translation>Guardar una carpeta como biblioteca: se puede preguntar a todos sus documentos</translation>
    </message>
    <message>
        <source>Remove it</source>
        <translation>Quitar</translation>
    </message>
    <message>
        <source>Documents</source>
        <translation>Documentos</translation>
    </message>
    <message>
        <source>Remove “{library}” from Spanlight? What was read is forgotten; no document is touched.</source>
        <translation>¿Quitar «{library}» de Spanlight? Se olvida lo leído; no se toca ningún documento.</translation>
    </message>
    <message>
        <source>Add a folder to {library}</source>
        <translation>Añadir una carpeta a {library}</translation>
    </message>
    <message>
        <source>Add a folder</source>
        <translation>Añadir una carpeta</translation>
    </message>
    <message>
        <source>New name of the library {library}</source>
        <translation>Nuevo nombre de la biblioteca {library}</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>Mostrar en carpeta</translation>
    </message>
    <message>
        <source>Copy path</source>
        <translation>Copiar ruta</translation>
    </message>
    <message>
        <source>Close	Ctrl+W</source>
        <translation>Cerrar	Ctrl+W</translation>
    </message>
    <message>
        <source>Close others</source>
        <translation>Cerrar los demás</translation>
    </message>
    <message>
        <source>Close all</source>
        <translation>Cerrar todo</translation>
    </message>
    <message>
        <source>Open	Enter</source>
        <translation>Abrir	Enter</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Cerrar</translation>
    </message>
    <message>
        <source>Stop reading</source>
        <translation>Parar la lectura</translation>
    </message>
    <message>
        <source>Update now</source>
        <translation>Actualizar ahora</translation>
    </message>
    <message>
        <source>Check everything</source>
        <translation>Comprobar todo</translation>
    </message>
    <message>
        <source>Files that were not read…</source>
        <translation>Archivos no leídos…</translation>
    </message>
    <message>
        <source>Rename	F2</source>
        <translation>Renombrar	F2</translation>
    </message>
    <message>
        <source>Add a folder to it…</source>
        <translation>Añadirle una carpeta…</translation>
    </message>
    <message>
        <source>Folders, files and kinds…</source>
        <translation>Carpetas, archivos y tipos…</translation>
    </message>
    <message>
        <source>Remove from Spanlight…</source>
        <translation>Quitar de Spanlight…</translation>
    </message>
    <message>
        <source>Ask this library</source>
        <translation>Preguntar a esta biblioteca</translation>
    </message>
    <message>
        <source>on the page</source>
        <translation>en la página</translation>
    </message>
    <message>
        <source>library, expanded</source>
        <translation>biblioteca, desplegada</translation>
    </message>
    <message>
        <source>library, collapsed</source>
        <translation>biblioteca, plegada</translation>
    </message>
    <message>
        <source>in part</source>
        <translation>en parte</translation>
    </message>
    <message>
        <source>{pages}, recognised</source>
        <translation>{pages}, reconocidas</translation>
    </message>
    <message>
        <source>scan</source>
        <translation>escaneado</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>vacío</translation>
    </message>
    <message>
        <source>password</source>
        <translation>contraseña</translation>
    </message>
    <message>
        <source>not read</source>
        <translation>no leído</translation>
    </message>
    <message>
        <source>{number:,} p</source>
        <translation>{number:,} p</translation>
    </message>
    <message>
        <source>{read:,} of {total:,} read</source>
        <translation>{read:,} de {total:,} leídos</translation>
    </message>
    <message>
        <source>{read:,} of {total:,}</source>
        <translation>{read:,} de {total:,}</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} read</source>
        <comment>{n:,} read</comment>
        <translation>
            <numerusform>{n:,} leído</numerusform>
            <numerusform>{n:,} leídos</numerusform>
        </translation>
    </message>
    <message>
        <source>stop reading {library}</source>
        <translation>parar la lectura de {library}</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Parar</translation>
    </message>
    <message>
        <source>Open documents</source>
        <translation>Documentos abiertos</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} found</source>
        <comment>{n:,} found</comment>
        <translation>
            <numerusform>{n:,} encontrado</numerusform>
            <numerusform>{n:,} encontrados</numerusform>
        </translation>
    </message>
    <message>
        <source>Opened before</source>
        <translation>Abiertos antes</translation>
    </message>
    <message>
        <source>No document is named like that.</source>
        <translation>Ningún documento se llama así.</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} word</source>
        <comment>{n:,} words</comment>
        <translation>
            <numerusform>{n:,} palabra</numerusform>
            <numerusform>{n:,} palabras</numerusform>
        </translation>
    </message>
    <message>
        <source>List of documents  (Ctrl+B)</source>
        <translation>Lista de documentos  (Ctrl+B)</translation>
    </message>
    <message>
        <source>New text  (Ctrl+T)</source>
        <translation>Texto nuevo  (Ctrl+T)</translation>
    </message>
    <message>
        <source>Open files  (Ctrl+O)</source>
        <translation>Abrir archivos  (Ctrl+O)</translation>
    </message>
    <message>
        <source>Files opened before</source>
        <translation>Archivos abiertos antes</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Deshacer</translation>
    </message>
    <message>
        <source>Bring the closed text back</source>
        <translation>Recuperar el texto cerrado</translation>
    </message>
    <message>
        <source>Bring it back  (Ctrl+Shift+T)</source>
        <translation>Recuperar  (Ctrl+Mayús+T)</translation>
    </message>
    <message>
        <source>Close  (Ctrl+W)</source>
        <translation>Cerrar  (Ctrl+W)</translation>
    </message>
    <message>
        <source>Close {title}</source>
        <translation>Cerrar {title}</translation>
    </message>
    <message>
        <source>Forget these</source>
        <translation>Olvidar estos</translation>
    </message>
    <message>
        <source>“{title}” closed</source>
        <translation>Se ha cerrado «{title}»</translation>
    </message>
    <message>
        <source>Ctrl+V paste</source>
        <translation>Ctrl+V pegar</translation>
    </message>
    <message>
        <source>Ctrl+O open</source>
        <translation>Ctrl+O abrir</translation>
    </message>
    <message>
        <source>Ctrl+L question</source>
        <translation>Ctrl+L pregunta</translation>
    </message>
    <message>
        <source>Enter ask</source>
        <translation>Enter preguntar</translation>
    </message>
    <message>
        <source>F1 all keys</source>
        <translation>F1 todas las teclas</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>Pegar</translation>
    </message>
    <message>
        <source>Paste  (Ctrl+V)</source>
        <translation>Pegar  (Ctrl+V)</translation>
    </message>
    <message>
        <source>Open a file…</source>
        <translation>Abrir archivo…</translation>
    </message>
    <message>
        <source>All its documents can be asked at once</source>
        <translation>Se puede preguntar a todos sus documentos a la vez</translation>
    </message>
    <message>
        <source>Open again</source>
        <translation>Volver a abrir</translation>
    </message>
    <message>
        <source>Or try one of these</source>
        <translation>O prueba uno de estos</translation>
    </message>
    <message>
        <source>Drop files or a folder here, or paste a text</source>
        <translation>Suelta aquí archivos o una carpeta, o pega un texto</translation>
    </message>
    <message>
        <source>PDF, Word, spreadsheets, slides, books, mails, web pages, Markdown, plain text</source>
        <translation>PDF, Word, hojas de cálculo, diapositivas, libros, correos, páginas web, Markdown, texto sin formato</translation>
    </message>
    <message>
        <source>Open {file} again</source>
        <translation>Volver a abrir {file}</translation>
    </message>
    <message>
        <source>This file has changed on the disk since it was opened.</source>
        <translation>Este archivo ha cambiado en el disco desde que se abrió.</translation>
    </message>
    <message>
        <source>The file is not in its place any more.</source>
        <translation>El archivo ya no está en su sitio.</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Reintentar</translation>
    </message>
    <message>
        <source>What you changed here is lost then.</source>
        <translation>Al hacerlo se pierde lo que cambiaste aquí.</translation>
    </message>
    <message>
        <source>Read it again</source>
        <translation>Volver a leer</translation>
    </message>
    <message>
        <source>What was read of it stays here until the tab is closed.</source>
        <translation>Lo que se leyó de él sigue aquí hasta que se cierre la pestaña.</translation>
    </message>
    <message>
        <source>“{words}” in {document}</source>
        <translation>«{words}» en {document}</translation>
    </message>
    <message>
        <source>Files of {library}</source>
        <translation>Archivos de {library}</translation>
    </message>
    <message>
        <source>Files that were not read</source>
        <translation>Archivos no leídos</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Abrir</translation>
    </message>
    <message>
        <source>Recognise all scans</source>
        <translation>Reconocer todo lo escaneado</translation>
    </message>
    <message>
        <source>Reads the pages that are pictures, some seconds each</source>
        <translation>Lee las páginas que son imágenes; cada una tarda unos segundos</translation>
    </message>
    <message>
        <source>Every file has been read.</source>
        <translation>Se han leído todos los archivos.</translation>
    </message>
    <message numerus="yes">
        <source>{read:,} of {n:,} file read. Not read, or only in part:</source>
        <comment>{read:,} of {n:,} files read. Not read, or only in part:</comment>
        <translation>
            <numerusform>{read:,} de {n:,} archivo leído. No leídos o leídos solo en parte:</numerusform>
            <numerusform>{read:,} de {n:,} archivos leídos. No leídos o leídos solo en parte:</numerusform>
        </translation>
    </message>
    <message>
        <source>Files of other kinds, left out: {kinds}</source>
        <translation>Archivos de otros tipos, omitidos: {kinds}</translation>
    </message>
    <message>
        <source>Enter it</source>
        <translation>Introducir</translation>
    </message>
    <message>
        <source>Enter the password</source>
        <translation>Introducir la contraseña</translation>
    </message>
    <message>
        <source>Folders and kinds of {library}</source>
        <translation>Carpetas y tipos de {library}</translation>
    </message>
    <message>
        <source>Folders and single files</source>
        <translation>Carpetas y archivos sueltos</translation>
    </message>
    <message>
        <source>Documents of every kind; or pdf, docx; or +xml for these as well</source>
        <translation>Documentos de todo tipo; o pdf, docx; o +xml para añadir también estos</translation>
    </message>
    <message>
        <source>Nothing; or drafts/*, *copy*</source>
        <translation>Nada; o borradores/*, *copia*</translation>
    </message>
    <message>
        <source>Add files…</source>
        <translation>Añadir archivos…</translation>
    </message>
    <message>
        <source>Take out</source>
        <translation>Quitar</translation>
    </message>
    <message>
        <source>No document is touched  (Del)</source>
        <translation>No se toca ningún documento  (Supr)</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Only files of these kinds</source>
        <translation>Solo archivos de estos tipos</translation>
    </message>
    <message>
        <source>Leave out names or folders like these</source>
        <translation>Omitir nombres o carpetas como estos</translation>
    </message>
    <message>
        <source>Looking at the files…</source>
        <translation>Mirando los archivos…</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} document, {size}</source>
        <comment>{n:,} documents, {size}</comment>
        <translation>
            <numerusform>{n:,} documento, {size}</numerusform>
            <numerusform>{n:,} documentos, {size}</numerusform>
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
            <numerusform>{n:,} sin extensión</numerusform>
            <numerusform>{n:,} sin extensión</numerusform>
        </translation>
    </message>
    <message>
        <source>left out: {kinds}</source>
        <translation>omitidos: {kinds}</translation>
    </message>
    <message>
        <source>“{folder}” is not there now</source>
        <translation>«{folder}» no está disponible ahora</translation>
    </message>
    <message>
        <source>Save and read them</source>
        <translation>Guardar y leer</translation>
    </message>
    <message>
        <source>Add files to {library}</source>
        <translation>Añadir archivos a {library}</translation>
    </message>
    <message>
        <source>What do you want to know?</source>
        <translation>¿Qué quieres saber?</translation>
    </message>
    <message>
        <source>Your question</source>
        <translation>Tu pregunta</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>Pregunta</translation>
    </message>
    <message>
        <source>Enter asks. Up and Down bring back earlier questions.</source>
        <translation>Enter pregunta. Las flechas arriba y abajo recuperan preguntas anteriores.</translation>
    </message>
    <message>
        <source>Ask  (Enter)</source>
        <translation>Preguntar  (Enter)</translation>
    </message>
    <message>
        <source>There is no question yet.</source>
        <translation>Todavía no hay pregunta.</translation>
    </message>
    <message>
        <source>Type what you want to know, then press Enter.</source>
        <translation>Escribe lo que quieres saber y pulsa Enter.</translation>
    </message>
    <message>
        <source>This file is not open.</source>
        <translation>Este archivo no está abierto.</translation>
    </message>
    <message>
        <source>The page says why. Your question stays here.</source>
        <translation>La página dice por qué. Tu pregunta se queda aquí.</translation>
    </message>
    <message>
        <source>There is no text to read yet.</source>
        <translation>Todavía no hay texto que leer.</translation>
    </message>
    <message>
        <source>Paste one on the page, or open a file (Ctrl+O).</source>
        <translation>Pega uno en la página o abre un archivo (Ctrl+O).</translation>
    </message>
    <message>
        <source>This document holds no text to read.</source>
        <translation>Este documento no contiene texto que leer.</translation>
    </message>
    <message numerus="yes">
        <source>Not in the {n:,} open document.</source>
        <comment>Not in the {n:,} open documents.</comment>
        <translation>
            <numerusform>No está en el documento abierto.</numerusform>
            <numerusform>No está en los {n:,} documentos abiertos.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not in {n:,} file.</source>
        <comment>Not in {n:,} files.</comment>
        <translation>
            <numerusform>No está en {n:,} archivo.</numerusform>
            <numerusform>No está en {n:,} archivos.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not in {read:,} of {n:,} file.</source>
        <comment>Not in {read:,} of {n:,} files.</comment>
        <translation>
            <numerusform>No está en {read:,} de {n:,} archivo.</numerusform>
            <numerusform>No está en {read:,} de {n:,} archivos.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} passage of {files} read in {time}</source>
        <comment>{n:,} passages of {files} read in {time}</comment>
        <translation>
            <numerusform>{n:,} pasaje de {files} leído en {time}</numerusform>
            <numerusform>{n:,} pasajes de {files} leídos en {time}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} file</source>
        <comment>{n:,} files</comment>
        <translation>
            <numerusform>{n:,} archivo</numerusform>
            <numerusform>{n:,} archivos</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} character</source>
        <comment>{n:,} characters</comment>
        <translation>
            <numerusform>{n:,} carácter</numerusform>
            <numerusform>{n:,} caracteres</numerusform>
        </translation>
    </message>
    <message>
        <source>The best passages of {length} read in {time}</source>
        <translation>Los mejores pasajes de {length}, leídos en {time}</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} page read whole in {time}</source>
        <comment>{n:,} pages read whole in {time}</comment>
        <translation>
            <numerusform>{n:,} página leída entera en {time}</numerusform>
            <numerusform>{n:,} páginas leídas enteras en {time}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} character read whole in {time}</source>
        <comment>{n:,} characters read whole in {time}</comment>
        <translation>
            <numerusform>{n:,} carácter leído por completo en {time}</numerusform>
            <numerusform>{n:,} caracteres leídos por completo en {time}</numerusform>
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
            <numerusform>{n:,} pasaje leído por {model}</numerusform>
            <numerusform>{n:,} pasajes leídos por {model}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} passage read in part by {model}</source>
        <comment>{n:,} passages read in part by {model}</comment>
        <translation>
            <numerusform>{n:,} pasaje leído en parte por {model}</numerusform>
            <numerusform>{n:,} pasajes leídos en parte por {model}</numerusform>
        </translation>
    </message>
    <message>
        <source>read in part by {model}</source>
        <translation>leído en parte por {model}</translation>
    </message>
    <message>
        <source>read whole by {model}</source>
        <translation>leído entero por {model}</translation>
    </message>
    <message>
        <source>the best passages read by {model}</source>
        <translation>los mejores pasajes, leídos por {model}</translation>
    </message>
    <message>
        <source>the best passages found by {finder}, read by {model}</source>
        <translation>los mejores pasajes, encontrados por {finder} y leídos por {model}</translation>
    </message>
    <message>
        <source>in</source>
        <translation>en</translation>
    </message>
    <message>
        <source>What the question is asked of  (Alt+Down)</source>
        <translation>A qué se le hace la pregunta  (Alt+Abajo)</translation>
    </message>
    <message>
        <source>Show the files that were not read</source>
        <translation>Mostrar los archivos no leídos</translation>
    </message>
    <message>
        <source>In this document</source>
        <translation>En este documento</translation>
    </message>
    <message>
        <source>In the open documents ({number:,})</source>
        <translation>En los documentos abiertos ({number:,})</translation>
    </message>
    <message>
        <source>In {library}	{read}</source>
        <translation>En {library}	{read}</translation>
    </message>
    <message>
        <source>Ask in {library}</source>
        <translation>Preguntar en {library}</translation>
    </message>
    <message>
        <source>the open documents</source>
        <translation>los documentos abiertos</translation>
    </message>
    <message>
        <source>Ask in the open documents</source>
        <translation>Preguntar en los documentos abiertos</translation>
    </message>
    <message>
        <source>this document</source>
        <translation>este documento</translation>
    </message>
    <message>
        <source>Ask in this document</source>
        <translation>Preguntar en este documento</translation>
    </message>
    <message>
        <source>{read}. Show the files that were not read</source>
        <translation>{read}. Mostrar los archivos no leídos</translation>
    </message>
    <message>
        <source>Reading again</source>
        <translation>Leyendo de nuevo</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>En pausa</translation>
    </message>
    <message numerus="yes">
        <source>Reading the best passages of {n:,} file</source>
        <comment>Reading the best passages of {n:,} files</comment>
        <translation>
            <numerusform>Leyendo los mejores pasajes de {n:,} archivo</numerusform>
            <numerusform>Leyendo los mejores pasajes de {n:,} archivos</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Reading {n:,} document</source>
        <comment>Reading {n:,} documents</comment>
        <translation>
            <numerusform>Leyendo {n:,} documento</numerusform>
            <numerusform>Leyendo {n:,} documentos</numerusform>
        </translation>
    </message>
    <message>
        <source>Select the right words in the document first, then press “These words instead”, or by keys Esc and then E.</source>
        <translation>Selecciona antes en el documento las palabras correctas y luego pulsa «Mejor estas palabras» o, con el teclado, Esc y después E.</translation>
    </message>
    <message>
        <source>Welcome to Spanlight</source>
        <translation>Te damos la bienvenida a Spanlight</translation>
    </message>
    <message>
        <source>Ask a document, and the answer lights up</source>
        <translation>Pregunta a un documento y la respuesta se resalta</translation>
    </message>
    <message>
        <source>Nothing that you open or ask leaves this computer.</source>
        <translation>Nada de lo que abres o preguntas sale de este ordenador.</translation>
    </message>
    <message>
        <source>What you keep lies in {folder}</source>
        <translation>Lo que guardas está en {folder}</translation>
    </message>
    <message>
        <source>Open a file of yours…</source>
        <translation>Abrir un archivo tuyo…</translation>
    </message>
    <message>
        <source>Got it</source>
        <translation>Entendido</translation>
    </message>
    <message>
        <source>Put this away  (Esc)</source>
        <translation>Cerrar esto  (Esc)</translation>
    </message>
    <message>
        <source>This is a sample. The question at the right is being asked about it, on this computer…</source>
        <translation>Esto es un ejemplo. Se le está haciendo la pregunta de la derecha, en este ordenador…</translation>
    </message>
    <message>
        <source>This is a sample. The question at the right was asked about it: its answer is lit up in the text.</source>
        <translation>Esto es un ejemplo. Se le ha hecho la pregunta de la derecha: la respuesta está resaltada en el texto.</translation>
    </message>
    <message>
        <source>This is a sample. Ask it something, or open a file of yours.</source>
        <translation>Esto es un ejemplo. Pregúntale algo o abre un archivo tuyo.</translation>
    </message>
    <message>
        <source>In the find bar: next, previous place</source>
        <translation>En la barra de búsqueda: lugar siguiente, anterior</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>Sin resultados</translation>
    </message>
    <message>
        <source>{number:,} of {total:,}</source>
        <translation>{number:,} de {total:,}</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} place</source>
        <comment>{n:,} places</comment>
        <translation>
            <numerusform>{n:,} lugar</numerusform>
            <numerusform>{n:,} lugares</numerusform>
        </translation>
    </message>
    <message>
        <source>The page does not show exactly these words, so nothing is marked.</source>
        <translation>La página no muestra exactamente estas palabras, así que no se resalta nada.</translation>
    </message>
    <message>
        <source>The place that is shown</source>
        <translation>El lugar que se muestra</translation>
    </message>
    <message>
        <source>Another place</source>
        <translation>Otro lugar</translation>
    </message>
    <message>
        <source>Place in the text</source>
        <translation>Lugar en el texto</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} place marked</source>
        <comment>{n:,} places marked</comment>
        <translation>
            <numerusform>{n:,} lugar resaltado</numerusform>
            <numerusform>{n:,} lugares resaltados</numerusform>
        </translation>
    </message>
    <message>
        <source>Answers were seen here, at most {percent} likely</source>
        <translation>Aquí se han visto respuestas, con una probabilidad máxima de {percent}</translation>
    </message>
    <message>
        <source>at {percent}% of the text</source>
        <translation>al {percent}&#xa0;% del texto</translation>
    </message>
    <message>
        <source>at the start</source>
        <translation>al principio</translation>
    </message>
    <message>
        <source>Opening</source>
        <translation>Abriendo</translation>
    </message>
    <message>
        <source>Document</source>
        <translation>Documento</translation>
    </message>
    <message>
        <source>page {label} ({number:,} of {total:,})</source>
        <translation>página {label} ({number:,} de {total:,})</translation>
    </message>
    <message>
        <source>page {number:,} of {total:,}</source>
        <translation>página {number:,} de {total:,}</translation>
    </message>
    <message>
        <source>This page cannot be drawn.</source>
        <translation>Esta página no se puede dibujar.</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>Seleccionar todo</translation>
    </message>
    <message>
        <source>{document}, page {number} of {total}</source>
        <translation>{document}, página {number} de {total}</translation>
    </message>
    <message>
        <source>Lit up: “{words}”</source>
        <translation>Resaltado: «{words}»</translation>
    </message>
    <message>
        <source>The text says something else at this place by now.</source>
        <translation>En este lugar, el texto ya dice otra cosa.</translation>
    </message>
    <message>
        <source>Type or paste a text here</source>
        <translation>Escribe o pega aquí un texto</translation>
    </message>
    <message>
        <source>What is a text</source>
        <translation>Qué es un texto</translation>
    </message>
    <message>
        <source>One text</source>
        <translation>Un texto</translation>
    </message>
    <message>
        <source>Each line is a text</source>
        <translation>Línea a línea</translation>
    </message>
    <message>
        <source>Classify</source>
        <translation>Clasificar</translation>
    </message>
    <message>
        <source>Classify  (Ctrl+Enter)</source>
        <translation>Clasificar  (Ctrl+Enter)</translation>
    </message>
    <message>
        <source>The model sums the text up in one list of numbers, and by that list each class gets its probability.</source>
        <translation>El modelo resume el texto en una lista de números y, según esa lista, cada clase recibe su probabilidad.</translation>
    </message>
    <message>
        <source>Classification from the pooled [CLS], BERT section 4.1.</source>
        <translation>Clasificación a partir del [CLS] agrupado, BERT, sección 4.1.</translation>
    </message>
    <message>
        <source>Copy the table</source>
        <translation>Copiar la tabla</translation>
    </message>
    <message>
        <source>Save as CSV…</source>
        <translation>Guardar como CSV…</translation>
    </message>
    <message>
        <source>Save as CSV</source>
        <translation>Guardar como CSV</translation>
    </message>
    <message>
        <source>Save as CSV  (Ctrl+S)</source>
        <translation>Guardar como CSV  (Ctrl+S)</translation>
    </message>
    <message>
        <source>Every class gets its probability. A long text is read whole, not cut.</source>
        <translation>Cada clase recibe su probabilidad. Un texto largo se lee entero, sin cortarlo.</translation>
    </message>
    <message>
        <source>{texts} classified</source>
        <translation>Clasificado: {texts}</translation>
    </message>
    <message>
        <source>{done:,} of {texts}</source>
        <translation>{done:,} de {texts}</translation>
    </message>
    <message>
        <source>{texts} of {file}</source>
        <translation>{texts} de {file}</translation>
    </message>
    <message>
        <source>{labels} and {more} more</source>
        <translation>{labels} y {more} más</translation>
    </message>
    <message>
        <source>{model} tells apart: {labels}</source>
        <translation>{model} distingue: {labels}</translation>
    </message>
    <message>
        <source>{model} looks for: {labels}</source>
        <translation>{model} busca: {labels}</translation>
    </message>
    <message>
        <source>{model} gives values of: {labels}</source>
        <translation>{model} da valores de: {labels}</translation>
    </message>
    <message>
        <source>Open a text file</source>
        <translation>Abrir un archivo de texto</translation>
    </message>
    <message>
        <source>Go to the text</source>
        <translation>Ir al texto</translation>
    </message>
    <message>
        <source>Save the table as CSV</source>
        <translation>Guardar la tabla como CSV</translation>
    </message>
    <message>
        <source>Look inside: how the model came to it</source>
        <translation>Ver por dentro: cómo ha llegado el modelo a esto</translation>
    </message>
    <message>
        <source>Copy the chosen rows, or the probabilities</source>
        <translation>Copiar las filas seleccionadas o las probabilidades</translation>
    </message>
    <message>
        <source>Texts and tables (*.txt *.md *.csv *.tsv *.xlsx *.jsonl);;All files (*)</source>
        <translation>Textos y tablas (*.txt *.md *.csv *.tsv *.xlsx *.jsonl);;Todos los archivos (*)</translation>
    </message>
    <message>
        <source>Text to classify</source>
        <translation>Texto que clasificar</translation>
    </message>
    <message>
        <source>Type or paste a text, or drop a text file here.</source>
        <translation>Escribe o pega un texto, o suelta aquí un archivo de texto.</translation>
    </message>
    <message>
        <source>There is nothing to classify yet.</source>
        <translation>Todavía no hay nada que clasificar.</translation>
    </message>
    <message>
        <source>Type or paste a text first.</source>
        <translation>Primero escribe o pega un texto.</translation>
    </message>
    <message>
        <source>Getting ready to classify the text</source>
        <translation>Preparando la clasificación del texto</translation>
    </message>
    <message numerus="yes">
        <source>Getting ready to classify {n:,} text</source>
        <comment>Getting ready to classify {n:,} texts</comment>
        <translation>
            <numerusform>Preparando la clasificación de {n:,} texto</numerusform>
            <numerusform>Preparando la clasificación de {n:,} textos</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} window</source>
        <comment>{n:,} windows</comment>
        <translation>
            <numerusform>{n:,} ventana</numerusform>
            <numerusform>{n:,} ventanas</numerusform>
        </translation>
    </message>
    <message>
        <source>1 text ({windows}) classified in {time}</source>
        <translation>1 texto ({windows}) clasificado en {time}</translation>
    </message>
    <message>
        <source>{number:,} texts classified in {time}</source>
        <translation>{number:,} textos clasificados en {time}</translation>
    </message>
    <message>
        <source>Save the table</source>
        <translation>Guardar la tabla</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} row saved</source>
        <comment>{n:,} rows saved</comment>
        <translation>
            <numerusform>{n:,} fila guardada</numerusform>
            <numerusform>{n:,} filas guardadas</numerusform>
        </translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Texto</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>Etiqueta</translation>
    </message>
    <message>
        <source>Probability</source>
        <translation>Probabilidad</translation>
    </message>
    <message>
        <source>Texts and their classes</source>
        <translation>Textos y sus clases</translation>
    </message>
    <message>
        <source>Fill in</source>
        <translation>Completar</translation>
    </message>
    <message>
        <source>Find words for the blanks</source>
        <translation>Buscar palabras para los huecos</translation>
    </message>
    <message>
        <source>Make a blank of the selected word</source>
        <translation>Convertir en hueco la palabra seleccionada</translation>
    </message>
    <message>
        <source>Next blank</source>
        <translation>Hueco siguiente</translation>
    </message>
    <message>
        <source>Previous blank</source>
        <translation>Hueco anterior</translation>
    </message>
    <message>
        <source>Put a word of the list in its place; in the list 1 … 9, Enter</source>
        <translation>Poner una palabra de la lista en su sitio; en la lista, 1 … 9, Enter</translation>
    </message>
    <message>
        <source>Give the blank back</source>
        <translation>Recuperar el hueco</translation>
    </message>
    <message>
        <source>Text with blanks</source>
        <translation>Texto con huecos</translation>
    </message>
    <message>
        <source>Type or paste a text with ___ where a word is missing.</source>
        <translation>Escribe o pega un texto con ___ donde falte una palabra.</translation>
    </message>
    <message>
        <source>There is no blank yet.</source>
        <translation>Todavía no hay ningún hueco.</translation>
    </message>
    <message>
        <source>Type ___ where a word is missing, or make a blank of a word.</source>
        <translation>Escribe ___ donde falte una palabra, o convierte una palabra en hueco.</translation>
    </message>
    <message numerus="yes">
        <source>Getting ready to fill in the blank</source>
        <comment>Getting ready to fill in {n:,} blanks</comment>
        <translation>
            <numerusform>Preparando las palabras para el hueco</numerusform>
            <numerusform>Preparando las palabras para {n:,} huecos</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Words for {n:,} blank found in {time}</source>
        <comment>Words for {n:,} blanks found in {time}</comment>
        <translation>
            <numerusform>Palabras encontradas para {n:,} hueco en {time}</numerusform>
            <numerusform>Palabras encontradas para {n:,} huecos en {time}</numerusform>
        </translation>
    </message>
    <message>
        <source>“{word}” put in its place; Ctrl+Z gives the blank back</source>
        <translation>«{word}» ocupa su sitio; Ctrl+Z recupera el hueco</translation>
    </message>
    <message>
        <source>Select one word, or a few, without a blank among them.</source>
        <translation>Selecciona una palabra, o unas pocas, sin ningún hueco entre ellas.</translation>
    </message>
    <message>
        <source>That cannot become a blank.</source>
        <translation>Eso no puede convertirse en hueco.</translation>
    </message>
    <message>
        <source>Type a text with ___ where a word is missing, or select a word and make a blank of it.</source>
        <translation>Escribe un texto con ___ donde falte una palabra, o selecciona una palabra y conviértela en hueco.</translation>
    </message>
    <message>
        <source>There is no blank yet. Type ___ where a word is missing, or select a word and press Ctrl+B.</source>
        <translation>Todavía no hay ningún hueco. Escribe ___ donde falte una palabra, o selecciona una palabra y pulsa Ctrl+B.</translation>
    </message>
    <message>
        <source>The model&apos;s vocabulary cannot spell this word</source>
        <translation>El vocabulario del modelo no puede componer esta palabra</translation>
    </message>
    <message>
        <source>{probability}, read as {pieces} pieces, one after the other</source>
        <translation>{probability}, leída como {pieces} piezas, una tras otra</translation>
    </message>
    <message>
        <source>{probability}, the likeliest of all</source>
        <translation>{probability}, la más probable de todas</translation>
    </message>
    <message>
        <source>{probability}, number {rank:,} in the model&apos;s vocabulary</source>
        <translation>{probability}, puesto {rank:,} en el vocabulario del modelo</translation>
    </message>
    <message>
        <source>How likely is …</source>
        <translation>Prob. de …</translation>
    </message>
    <message>
        <source>any word</source>
        <translation>una palabra</translation>
    </message>
    <message>
        <source>How likely is this word in the blank</source>
        <translation>Probabilidad de esta palabra en el hueco</translation>
    </message>
    <message>
        <source>Ask how likely the word is</source>
        <translation>Preguntar cuál es la probabilidad de la palabra</translation>
    </message>
    <message>
        <source>Go to the previous blank</source>
        <translation>Ir al hueco anterior</translation>
    </message>
    <message>
        <source>Go to the next blank</source>
        <translation>Ir al hueco siguiente</translation>
    </message>
    <message>
        <source>Click a word, or press Alt and its number.</source>
        <translation>Haz clic en una palabra o pulsa Alt y su número.</translation>
    </message>
    <message>
        <source>Words for the blank</source>
        <translation>Palabras para el hueco</translation>
    </message>
    <message>
        <source>Blank {number} of {count}</source>
        <translation>Hueco {number} de {count}</translation>
    </message>
    <message>
        <source>The blank</source>
        <translation>El hueco</translation>
    </message>
    <message>
        <source>Put “{word}” back</source>
        <translation>Volver a poner «{word}»</translation>
    </message>
    <message>
        <source>Make a blank of the selected word  (Ctrl+B)</source>
        <translation>Convertir en hueco la palabra seleccionada  (Ctrl+B)</translation>
    </message>
    <message>
        <source>Make a blank</source>
        <translation>Crear hueco</translation>
    </message>
    <message>
        <source>Fill in  (Ctrl+Enter)</source>
        <translation>Completar  (Ctrl+Enter)</translation>
    </message>
    <message>
        <source>Each blank is hidden from the model. From the words on both sides it says what may stand there.</source>
        <translation>Cada hueco se le oculta al modelo. A partir de las palabras de ambos lados, dice qué puede ir ahí.</translation>
    </message>
    <message>
        <source>Masked words, BERT section 3.1, Task #1.</source>
        <translation>Palabras enmascaradas, BERT, sección 3.1, tarea n.º&#xa0;1.</translation>
    </message>
    <message numerus="yes">
        <source>Ctrl+Enter finds the words for it.</source>
        <comment>Ctrl+Enter finds the words for all {n} blanks.</comment>
        <translation>
            <numerusform>Ctrl+Enter busca las palabras.</numerusform>
            <numerusform>Ctrl+Enter busca las palabras para los {n} huecos.</numerusform>
        </translation>
    </message>
    <message>
        <source>{model} fills in</source>
        <translation>{model} completa los huecos</translation>
    </message>
    <message numerus="yes">
        <source>{kind}, {n:,} name</source>
        <comment>{kind}, {n:,} names</comment>
        <translation>
            <numerusform>{kind}, {n:,} nombre</numerusform>
            <numerusform>{kind}, {n:,} nombres</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} name</source>
        <comment>{n:,} names</comment>
        <translation>
            <numerusform>{n:,} nombre</numerusform>
            <numerusform>{n:,} nombres</numerusform>
        </translation>
    </message>
    <message>
        <source>{place:,} of {count:,}</source>
        <translation>{place:,} de {count:,}</translation>
    </message>
    <message>
        <source>Names found</source>
        <translation>Nombres encontrados</translation>
    </message>
    <message>
        <source>The name that is shown</source>
        <translation>El nombre que se muestra</translation>
    </message>
    <message>
        <source>The same name</source>
        <translation>El mismo nombre</translation>
    </message>
    <message>
        <source>Text with names</source>
        <translation>Texto con nombres</translation>
    </message>
    <message>
        <source>Type or paste a text, or drop a file here.</source>
        <translation>Escribe o pega un texto, o suelta aquí un archivo.</translation>
    </message>
    <message>
        <source>Names</source>
        <translation>Nombres</translation>
    </message>
    <message>
        <source>Find names</source>
        <translation>Buscar nombres</translation>
    </message>
    <message>
        <source>Stop; the names found so far stay</source>
        <translation>Parar; los nombres encontrados hasta ahora se conservan</translation>
    </message>
    <message>
        <source>Next name in the text</source>
        <translation>Nombre siguiente en el texto</translation>
    </message>
    <message>
        <source>Previous name</source>
        <translation>Nombre anterior</translation>
    </message>
    <message>
        <source>Next place of the chosen name, in the list</source>
        <translation>Lugar siguiente del nombre seleccionado, en la lista</translation>
    </message>
    <message>
        <source>Open a file</source>
        <translation>Abrir un archivo</translation>
    </message>
    <message>
        <source>Save the names</source>
        <translation>Guardar los nombres</translation>
    </message>
    <message>
        <source>Copy the names as a table, or what is selected</source>
        <translation>Copiar los nombres como tabla, o lo seleccionado</translation>
    </message>
    <message>
        <source>There is no text yet.</source>
        <translation>Todavía no hay texto.</translation>
    </message>
    <message>
        <source>Type or paste one, or open a file.</source>
        <translation>Escribe o pega uno, o abre un archivo.</translation>
    </message>
    <message>
        <source>Getting ready to read</source>
        <translation>Preparando la lectura</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} name in {length} found in {time}</source>
        <comment>{n:,} names in {length} found in {time}</comment>
        <translation>
            <numerusform>{n:,} nombre encontrado en {length}, en {time}</numerusform>
            <numerusform>{n:,} nombres encontrados en {length}, en {time}</numerusform>
        </translation>
    </message>
    <message>
        <source>Not all of it was read: later names are missing. Ctrl+Enter reads the whole text.</source>
        <translation>No se leyó todo: faltan los nombres posteriores. Ctrl+Enter lee el texto entero.</translation>
    </message>
    <message>
        <source>Later names are missing. Ctrl+Enter reads the whole text.</source>
        <translation>Faltan los nombres posteriores. Ctrl+Intro lee el texto completo.</translation>
    </message>
    <message>
        <source>Very long lines were broken, so that they can be shown</source>
        <translation>Se han partido líneas muy largas para poder mostrarlas</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} name copied</source>
        <comment>{n:,} names copied</comment>
        <translation>
            <numerusform>{n:,} nombre copiado</numerusform>
            <numerusform>{n:,} nombres copiados</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} name saved</source>
        <comment>{n:,} names saved</comment>
        <translation>
            <numerusform>{n:,} nombre guardado</numerusform>
            <numerusform>{n:,} nombres guardados</numerusform>
        </translation>
    </message>
    <message>
        <source>People, places and other names light up in the text, each type in its own look. A long text is read whole.</source>
        <translation>Las personas, los lugares y otros nombres se resaltan en el texto, cada tipo con su propio aspecto. Un texto largo se lee entero.</translation>
    </message>
    <message>
        <source>No names were found in this text.</source>
        <translation>No se ha encontrado ningún nombre en este texto.</translation>
    </message>
    <message>
        <source>First piece</source>
        <translation>Primera pieza</translation>
    </message>
    <message>
        <source>Average</source>
        <translation>Media</translation>
    </message>
    <message>
        <source>Surest piece</source>
        <translation>Pieza más segura</translation>
    </message>
    <message>
        <source>Its first piece&apos;s tag is the word&apos;s:</source>
        <translation>La etiqueta de su primera pieza es la de la palabra:</translation>
    </message>
    <message>
        <source>Its pieces&apos; probabilities are averaged:</source>
        <translation>Se promedian las probabilidades de sus piezas:</translation>
    </message>
    <message>
        <source>The piece that the model is surest of counts:</source>
        <translation>Cuenta la pieza de la que el modelo está más seguro:</translation>
    </message>
    <message>
        <source>Types of names</source>
        <translation>Tipos de nombres</translation>
    </message>
    <message>
        <source>{label}: show or hide on the page</source>
        <translation>{label}: mostrar u ocultar en la página</translation>
    </message>
    <message numerus="yes">
        <source>Show {kind}, {n:,} place</source>
        <comment>Show {kind}, {n:,} places</comment>
        <translation>
            <numerusform>Mostrar {kind}, {n:,} lugar</numerusform>
            <numerusform>Mostrar {kind}, {n:,} lugares</numerusform>
        </translation>
    </message>
    <message>
        <source>A word read in pieces goes by its</source>
        <translation>Una palabra leída en piezas se rige por su</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>Abrir…</translation>
    </message>
    <message>
        <source>Open a file  (Ctrl+O)</source>
        <translation>Abrir un archivo  (Ctrl+O)</translation>
    </message>
    <message>
        <source>Find names  (Ctrl+Enter)</source>
        <translation>Buscar nombres  (Ctrl+Enter)</translation>
    </message>
    <message>
        <source>Copy the names as a table  (Ctrl+C)</source>
        <translation>Copiar los nombres como tabla  (Ctrl+C)</translation>
    </message>
    <message>
        <source>Copy the names</source>
        <translation>Copiar los nombres</translation>
    </message>
    <message>
        <source>Save the names  (Ctrl+S)</source>
        <translation>Guardar los nombres  (Ctrl+S)</translation>
    </message>
    <message>
        <source>Save as</source>
        <translation>Guardar como</translation>
    </message>
    <message>
        <source>Every word gets a tag that says whether a name of some type begins or goes on there.</source>
        <translation>Cada palabra recibe una etiqueta que dice si ahí empieza o continúa un nombre de algún tipo.</translation>
    </message>
    <message>
        <source>Token classification, BERT section 5.3.</source>
        <translation>Clasificación de tokens, BERT, sección 5.3.</translation>
    </message>
    <message>
        <source>The model was changed since. Ctrl+Enter finds the names.</source>
        <translation>El modelo ha cambiado desde entonces. Ctrl+Enter busca los nombres.</translation>
    </message>
    <message>
        <source>The text was changed since. Ctrl+Enter finds the names.</source>
        <translation>El texto ha cambiado desde entonces. Ctrl+Enter busca los nombres.</translation>
    </message>
    <message>
        <source>The names are found by {model}</source>
        <translation>{model} encuentra los nombres</translation>
    </message>
    <message>
        <source>Two passages: does the second come right after the first, or from somewhere else?</source>
        <translation>Dos pasajes: ¿el segundo viene justo después del primero o es de otra parte?</translation>
    </message>
    <message>
        <source>Ctrl+Enter tells whether the second continues the first.</source>
        <translation>Ctrl+Enter dice si el segundo continúa el primero.</translation>
    </message>
    <message>
        <source>The first passage is longer than the model reads: its end was read.</source>
        <translation>El primer pasaje es más largo de lo que lee el modelo: se leyó su final.</translation>
    </message>
    <message>
        <source>The second passage is longer than the model reads: its beginning was read.</source>
        <translation>El segundo pasaje es más largo de lo que lee el modelo: se leyó su principio.</translation>
    </message>
    <message>
        <source>Undecided, {percent}</source>
        <translation>Indeciso, {percent}</translation>
    </message>
    <message>
        <source>The model leans to the second passage coming right after the first.</source>
        <translation>El modelo se inclina a pensar que el segundo pasaje viene justo después del primero.</translation>
    </message>
    <message>
        <source>It may continue</source>
        <translation>Puede que continúe</translation>
    </message>
    <message>
        <source>The model leans to the second passage being from somewhere else.</source>
        <translation>El modelo se inclina a pensar que el segundo pasaje es de otra parte.</translation>
    </message>
    <message>
        <source>It may not</source>
        <translation>Puede que no continúe</translation>
    </message>
    <message>
        <source>The model takes the second passage for what comes right after the first.</source>
        <translation>Para el modelo, el segundo pasaje viene justo después del primero.</translation>
    </message>
    <message>
        <source>It continues</source>
        <translation>Continúa</translation>
    </message>
    <message>
        <source>It does not</source>
        <translation>No continúa</translation>
    </message>
    <message>
        <source>The model takes the second passage for one from somewhere else.</source>
        <translation>Para el modelo, el segundo pasaje es de otra parte.</translation>
    </message>
    <message>
        <source>Probabilities</source>
        <translation>Probabilidades</translation>
    </message>
    <message>
        <source>Whether it continues</source>
        <translation>Si continúa</translation>
    </message>
    <message>
        <source>Continues</source>
        <translation>Continúa</translation>
    </message>
    <message>
        <source>Does not</source>
        <translation>No continúa</translation>
    </message>
    <message>
        <source>Logits: {first} continues, {second} does not</source>
        <translation>Logits: {first} continúa, {second} no continúa</translation>
    </message>
    <message>
        <source>Swap</source>
        <translation>Invertir</translation>
    </message>
    <message>
        <source>Swap the passages</source>
        <translation>Invertir los pasajes</translation>
    </message>
    <message>
        <source>Swap the passages  (Ctrl+T)</source>
        <translation>Invertir los pasajes  (Ctrl+T)</translation>
    </message>
    <message>
        <source>Tell whether the second continues the first  (Ctrl+Enter)</source>
        <translation>Decir si el segundo continúa el primero  (Ctrl+Enter)</translation>
    </message>
    <message>
        <source>The model reads both passages together and says whether the second comes right after the first.</source>
        <translation>El modelo lee los dos pasajes juntos y dice si el segundo viene justo después del primero.</translation>
    </message>
    <message>
        <source>Next sentence prediction, BERT section 3.1, Task #2.</source>
        <translation>Predicción de la frase siguiente, BERT, sección 3.1, tarea n.º&#xa0;2.</translation>
    </message>
    <message>
        <source>{model} tells what follows</source>
        <translation>{model} dice si un pasaje continúa otro</translation>
    </message>
    <message>
        <source>First passage</source>
        <translation>Primer pasaje</translation>
    </message>
    <message>
        <source>Type or paste a passage, or drop a text file here.</source>
        <translation>Escribe o pega un pasaje, o suelta aquí un archivo de texto.</translation>
    </message>
    <message>
        <source>Second passage</source>
        <translation>Segundo pasaje</translation>
    </message>
    <message>
        <source>And the one that may come right after it.</source>
        <translation>Y el que puede venir justo después.</translation>
    </message>
    <message>
        <source>Next sentence</source>
        <translation>Frase siguiente</translation>
    </message>
    <message>
        <source>Tell whether the second passage follows</source>
        <translation>Decir si el segundo pasaje es la continuación</translation>
    </message>
    <message>
        <source>Find in the passage</source>
        <translation>Buscar en el pasaje</translation>
    </message>
    <message>
        <source>Open a text file, or two</source>
        <translation>Abrir un archivo de texto, o dos</translation>
    </message>
    <message>
        <source>Go to the first passage</source>
        <translation>Ir al primer pasaje</translation>
    </message>
    <message>
        <source>It takes two: type or paste it.</source>
        <translation>Hacen falta dos: escríbelo o pégalo.</translation>
    </message>
    <message>
        <source>Getting ready to read both passages</source>
        <translation>Preparando la lectura de los dos pasajes</translation>
    </message>
    <message>
        <source>Two passages read in {time}</source>
        <translation>Dos pasajes leídos en {time}</translation>
    </message>
    <message>
        <source>Loading the classifier…</source>
        <translation>Cargando el clasificador…</translation>
    </message>
    <message>
        <source>the loading of the classifier</source>
        <translation>la carga del clasificador</translation>
    </message>
    <message>
        <source>Classifier ready</source>
        <translation>Clasificador listo</translation>
    </message>
    <message>
        <source>Loading the model for blanks…</source>
        <translation>Cargando el modelo para huecos…</translation>
    </message>
    <message>
        <source>the loading of the model for blanks</source>
        <translation>la carga del modelo para huecos</translation>
    </message>
    <message>
        <source>Model for blanks ready</source>
        <translation>Modelo para huecos listo</translation>
    </message>
    <message>
        <source>Loading the model for passages…</source>
        <translation>Cargando el modelo para pasajes…</translation>
    </message>
    <message>
        <source>the loading of the model for passages</source>
        <translation>la carga del modelo para pasajes</translation>
    </message>
    <message>
        <source>Model for passages ready</source>
        <translation>Modelo para pasajes listo</translation>
    </message>
    <message>
        <source>Loading the name finder…</source>
        <translation>Cargando el buscador de nombres…</translation>
    </message>
    <message>
        <source>the loading of the name finder</source>
        <translation>la carga del buscador de nombres</translation>
    </message>
    <message>
        <source>Name finder ready</source>
        <translation>Buscador de nombres listo</translation>
    </message>
    <message>
        <source>{ready}, on {device}</source>
        <translation>{ready}, en {device}</translation>
    </message>
    <message>
        <source>{first} and {second}</source>
        <translation>{first} y {second}</translation>
    </message>
    <message>
        <source>Opening {files}</source>
        <translation>Abriendo {files}</translation>
    </message>
    <message>
        <source>Text (*.txt *.md);;All files (*)</source>
        <translation>Texto (*.txt *.md);;Todos los archivos (*)</translation>
    </message>
    <message>
        <source>the work on {page}</source>
        <translation>el trabajo en «{page}»</translation>
    </message>
    <message>
        <source>{files} opened</source>
        <translation>Abierto: {files}</translation>
    </message>
    <message>
        <source>{model} is used for {page} now</source>
        <translation>{model} se usa ahora en «{page}»</translation>
    </message>
    <message>
        <source>Choose a model in the settings</source>
        <translation>Elegir un modelo en los ajustes</translation>
    </message>
    <message>
        <source>Try one of these</source>
        <translation>Prueba uno de estos</translation>
    </message>
    <message>
        <source>The model was changed since.</source>
        <translation>El modelo ha cambiado desde entonces.</translation>
    </message>
    <message>
        <source>The text was changed since.</source>
        <translation>El texto ha cambiado desde entonces.</translation>
    </message>
    <message>
        <source>Open it with Enter, type the password there, and ask again there.</source>
        <translation>Ábrelo con Enter, escribe allí la contraseña y vuelve a preguntar allí.</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Historial</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Buscar</translation>
    </message>
    <message>
        <source>Open the document there</source>
        <translation>Abrir el documento en ese lugar</translation>
    </message>
    <message>
        <source>Ask again, and see what changed</source>
        <translation>Preguntar de nuevo y ver qué ha cambiado</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Eliminar</translation>
    </message>
    <message>
        <source>Bring back what was deleted</source>
        <translation>Recuperar lo eliminado</translation>
    </message>
    <message>
        <source>Copy the answer with where it stands</source>
        <translation>Copiar la respuesta junto con su lugar</translation>
    </message>
    <message>
        <source>“{question}” deleted</source>
        <translation>Se ha eliminado «{question}»</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} question deleted</source>
        <comment>{n:,} questions deleted</comment>
        <translation>
            <numerusform>{n:,} pregunta eliminada</numerusform>
            <numerusform>{n:,} preguntas eliminadas</numerusform>
        </translation>
    </message>
    <message>
        <source>Asking again: {question}</source>
        <translation>Preguntando de nuevo: {question}</translation>
    </message>
    <message>
        <source>Asking again…</source>
        <translation>Preguntando de nuevo…</translation>
    </message>
    <message>
        <source>the work on History</source>
        <translation>el trabajo en «Historial»</translation>
    </message>
    <message>
        <source>Exporting</source>
        <translation>Exportando</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} answer exported to {files}</source>
        <comment>{n:,} answers exported to {files}</comment>
        <translation>
            <numerusform>{n:,} respuesta exportada a {files}</numerusform>
            <numerusform>{n:,} respuestas exportadas a {files}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} answer exported to no file</source>
        <comment>{n:,} answers exported to no file</comment>
        <translation>
            <numerusform>{n:,} respuesta no exportada a ningún archivo</numerusform>
            <numerusform>{n:,} respuestas no exportadas a ningún archivo</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>And {n:,} more of this kind.</source>
        <comment>And {n:,} more of this kind.</comment>
        <translation>
            <numerusform>Y {n:,} más de este tipo.</numerusform>
            <numerusform>Y {n:,} más de este tipo.</numerusform>
        </translation>
    </message>
    <message>
        <source>answers{suffix}</source>
        <translation>respuestas{suffix}</translation>
    </message>
    <message>
        <source>Export: {format}</source>
        <translation>Exportar: {format}</translation>
    </message>
    <message>
        <source>From now on nothing is kept.</source>
        <translation>A partir de ahora no se guarda nada.</translation>
    </message>
    <message>
        <source>What stands here stays until you delete it.</source>
        <translation>Lo que hay aquí se queda hasta que lo elimines.</translation>
    </message>
    <message>
        <source>Copied with where it stands</source>
        <translation>Copiado junto con su lugar</translation>
    </message>
    <message>
        <source>Open the document there  (Enter)</source>
        <translation>Abrir el documento en ese lugar  (Enter)</translation>
    </message>
    <message>
        <source>Check again</source>
        <translation>Volver a comprobar</translation>
    </message>
    <message>
        <source>Ask again, and see what changed  (F5)</source>
        <translation>Preguntar de nuevo y ver qué ha cambiado  (F5)</translation>
    </message>
    <message>
        <source>Delete  (Del)</source>
        <translation>Eliminar  (Supr)</translation>
    </message>
    <message>
        <source>What was asked before</source>
        <translation>Lo que se preguntó antes</translation>
    </message>
    <message>
        <source>Nothing asked yet</source>
        <translation>Todavía no se ha preguntado nada</translation>
    </message>
    <message>
        <source>Ask a document something: the question, its answer and the place are kept here.</source>
        <translation>Pregunta algo a un documento: aquí se guardan la pregunta, su respuesta y el lugar.</translation>
    </message>
    <message>
        <source>No history is kept</source>
        <translation>No se guarda historial</translation>
    </message>
    <message>
        <source>What you ask is not kept. The switch below changes that.</source>
        <translation>Lo que preguntas no se guarda. El interruptor de abajo lo cambia.</translation>
    </message>
    <message>
        <source>Keep a history</source>
        <translation>Guardar un historial</translation>
    </message>
    <message>
        <source>Questions, their answers and pasted texts are kept, on this computer only</source>
        <translation>Las preguntas, sus respuestas y los textos pegados se guardan, solo en este ordenador</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportar…</translation>
    </message>
    <message>
        <source>Delete everything…</source>
        <translation>Eliminar todo…</translation>
    </message>
    <message>
        <source>Delete everything</source>
        <translation>Eliminar todo</translation>
    </message>
    <message numerus="yes">
        <source>Delete {n:,} question and its answer for good? This cannot be undone.</source>
        <comment>Delete {n:,} questions and their answers for good? This cannot be undone.</comment>
        <translation>
            <numerusform>¿Eliminar para siempre {n:,} pregunta y su respuesta? Esto no se puede deshacer.</numerusform>
            <numerusform>¿Eliminar para siempre {n:,} preguntas y sus respuestas? Esto no se puede deshacer.</numerusform>
        </translation>
    </message>
    <message>
        <source>Search questions, answers and documents</source>
        <translation>Buscar preguntas, respuestas y documentos</translation>
    </message>
    <message>
        <source>No question, answer or document here has “{words}”.</source>
        <translation>Ninguna pregunta, respuesta ni documento de aquí contiene «{words}».</translation>
    </message>
    <message>
        <source>Show everything</source>
        <translation>Mostrar todo</translation>
    </message>
    <message>
        <source>Ask a question</source>
        <translation>Hacer una pregunta</translation>
    </message>
    <message>
        <source>To the page where documents are asked  (Ctrl+1)</source>
        <translation>A la página donde se pregunta a los documentos  (Ctrl+1)</translation>
    </message>
    <message>
        <source>Point at a token to see what it looks at, or walk with the arrow keys.</source>
        <translation>Señala un token para ver a qué mira, o recórrelos con las flechas.</translation>
    </message>
    <message>
        <source>most at the token itself, {percent} on average</source>
        <translation>sobre todo al propio token, {percent} de media</translation>
    </message>
    <message>
        <source>most at the token before, {percent} on average</source>
        <translation>sobre todo al token anterior, {percent} de media</translation>
    </message>
    <message>
        <source>most at the token behind, {percent} on average</source>
        <translation>sobre todo al token siguiente, {percent} de media</translation>
    </message>
    <message>
        <source>most at “{label}” (token {number}), {percent} on average</source>
        <translation>sobre todo a «{label}» (token {number}), {percent} de media</translation>
    </message>
    <message>
        <source>Heads of this layer</source>
        <translation>Cabezas de esta capa</translation>
    </message>
    <message>
        <source>Head {number} of {count} looks {where}</source>
        <translation>La cabeza {number} de {count} mira {where}</translation>
    </message>
    <message>
        <source>head</source>
        <translation>cabeza</translation>
    </message>
    <message>
        <source>looks</source>
        <translation>mira</translation>
    </message>
    <message>
        <source>What a token looks at</source>
        <translation>A qué mira un token</translation>
    </message>
    <message>
        <source>“{label}” {weight}</source>
        <translation>«{label}» {weight}</translation>
    </message>
    <message>
        <source>{token} looks at {others}</source>
        <translation>{token} mira a {others}</translation>
    </message>
    <message>
        <source>from</source>
        <translation>desde</translation>
    </message>
    <message>
        <source>to</source>
        <translation>hacia</translation>
    </message>
    <message>
        <source>piece</source>
        <translation>pieza</translation>
    </message>
    <message>
        <source>weight</source>
        <translation>peso</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Atención</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Desde</translation>
    </message>
    <message>
        <source>To</source>
        <translation>Hacia</translation>
    </message>
    <message>
        <source>Attention weight</source>
        <translation>Peso de atención</translation>
    </message>
    <message>
        <source>Attention of layer {layer}, head {head}</source>
        <translation>Atención de la capa {layer}, cabeza {head}</translation>
    </message>
    <message>
        <source>“{one}” looks at “{other}”</source>
        <translation>«{one}» mira a «{other}»</translation>
    </message>
    <message>
        <source>Token {one} to token {other}</source>
        <translation>Del token {one} al token {other}</translation>
    </message>
    <message>
        <source>Weight {weight}</source>
        <translation>Peso {weight}</translation>
    </message>
    <message>
        <source>token</source>
        <translation>token</translation>
    </message>
    <message>
        <source>Numbers (*.csv)</source>
        <translation>Números (*.csv)</translation>
    </message>
    <message>
        <source>Picture (*.png)</source>
        <translation>Imagen (*.png)</translation>
    </message>
    <message>
        <source>Drawing (*.svg)</source>
        <translation>Dibujo (*.svg)</translation>
    </message>
    <message>
        <source>Show the numbers as a table</source>
        <translation>Mostrar los números como tabla</translation>
    </message>
    <message>
        <source>Copy numbers</source>
        <translation>Copiar números</translation>
    </message>
    <message>
        <source>Copy the numbers for a spreadsheet</source>
        <translation>Copiar los números para una hoja de cálculo</translation>
    </message>
    <message>
        <source>Copy picture</source>
        <translation>Copiar imagen</translation>
    </message>
    <message>
        <source>Copy the chart as a picture</source>
        <translation>Copiar el gráfico como imagen</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Guardar…</translation>
    </message>
    <message>
        <source>Save the numbers (CSV) or the picture (PNG, SVG)</source>
        <translation>Guardar los números (CSV) o la imagen (PNG, SVG)</translation>
    </message>
    <message>
        <source>Hide the numbers</source>
        <translation>Ocultar los números</translation>
    </message>
    <message>
        <source>{chart}: numbers</source>
        <translation>{chart}: números</translation>
    </message>
    <message>
        <source>Numbers copied</source>
        <translation>Números copiados</translation>
    </message>
    <message>
        <source>Picture copied</source>
        <translation>Imagen copiada</translation>
    </message>
    <message>
        <source>Save {title}</source>
        <translation>Guardar {title}</translation>
    </message>
    <message>
        <source>{file} saved</source>
        <translation>Se ha guardado {file}</translation>
    </message>
    <message numerus="yes">
        <source>The text as the model reads it: {n:,} token, window {window} of {windows:,}</source>
        <comment>The text as the model reads it: {n:,} tokens, window {window} of {windows:,}</comment>
        <translation>
            <numerusform>El texto tal como lo lee el modelo: {n:,} token, ventana {window} de {windows:,}</numerusform>
            <numerusform>El texto tal como lo lee el modelo: {n:,} tokens, ventana {window} de {windows:,}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The text as the model reads it: {n:,} token</source>
        <comment>The text as the model reads it: {n:,} tokens</comment>
        <translation>
            <numerusform>El texto tal como lo lee el modelo: {n:,} token</numerusform>
            <numerusform>El texto tal como lo lee el modelo: {n:,} tokens</numerusform>
        </translation>
    </message>
    <message>
        <source>and {number:,} more</source>
        <translation>y {number:,} más</translation>
    </message>
    <message>
        <source>{stage}, at training only</source>
        <translation>{stage}, solo al entrenar</translation>
    </message>
    <message>
        <source>Every token’s state: a row of numbers for each</source>
        <translation>El estado de cada token: una fila de números por token</translation>
    </message>
    <message>
        <source>only the first token, {token}</source>
        <translation>solo el primer token, {token}</translation>
    </message>
    <message>
        <source>every token’s state</source>
        <translation>el estado de cada token</translation>
    </message>
    <message>
        <source>What comes out: {outcome}</source>
        <translation>Lo que sale: {outcome}</translation>
    </message>
    <message>
        <source>What happens from text to result</source>
        <translation>Qué ocurre desde el texto hasta el resultado</translation>
    </message>
    <message>
        <source>Arrow keys walk through the boxes.</source>
        <translation>Las flechas recorren los recuadros.</translation>
    </message>
    <message>
        <source>Nothing to show yet.</source>
        <translation>Todavía no hay nada que mostrar.</translation>
    </message>
    <message>
        <source>where the answer starts and ends</source>
        <translation>dónde empieza y termina la respuesta</translation>
    </message>
    <message>
        <source>a score for each class</source>
        <translation>una puntuación para cada clase</translation>
    </message>
    <message>
        <source>a score for each word that could stand there</source>
        <translation>una puntuación para cada palabra que podría ir ahí</translation>
    </message>
    <message>
        <source>whether the second text follows the first</source>
        <translation>si el segundo texto continúa el primero</translation>
    </message>
    <message>
        <source>a tag for each token</source>
        <translation>una etiqueta para cada token</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>tokens</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} weight</source>
        <comment>{n:,} weights</comment>
        <translation>
            <numerusform>{n:,} peso</numerusform>
            <numerusform>{n:,} pesos</numerusform>
        </translation>
    </message>
    <message>
        <source>takes the pooled output</source>
        <translation>recibe la salida agrupada</translation>
    </message>
    <message>
        <source>takes every token&apos;s state</source>
        <translation>recibe el estado de cada token</translation>
    </message>
    <message>
        <source>takes the first token&apos;s state</source>
        <translation>recibe el estado del primer token</translation>
    </message>
    <message>
        <source>{stage}, {number} of them one after another</source>
        <translation>{stage}, {number} veces seguidas</translation>
    </message>
    <message>
        <source>takes {shapes}</source>
        <translation>recibe {shapes}</translation>
    </message>
    <message>
        <source>gives {shape}</source>
        <translation>da {shape}</translation>
    </message>
    <message>
        <source>at training only: it changes nothing here</source>
        <translation>solo al entrenar: aquí no cambia nada</translation>
    </message>
    <message>
        <source>{shapes} and {shape}</source>
        <translation>{shapes} y {shape}</translation>
    </message>
    <message>
        <source>gives {outcome}</source>
        <translation>da: {outcome}</translation>
    </message>
    <message>
        <source>standing</source>
        <translation>situación</translation>
    </message>
    <message>
        <source>stage</source>
        <translation>etapa</translation>
    </message>
    <message>
        <source>term</source>
        <translation>término</translation>
    </message>
    <message>
        <source>path</source>
        <translation>ruta</translation>
    </message>
    <message>
        <source>kind</source>
        <translation>tipo</translation>
    </message>
    <message>
        <source>detail</source>
        <translation>detalle</translation>
    </message>
    <message>
        <source>takes</source>
        <translation>recibe</translation>
    </message>
    <message>
        <source>gives</source>
        <translation>da</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>pesos</translation>
    </message>
    <message>
        <source>repeats</source>
        <translation>repeticiones</translation>
    </message>
    <message>
        <source>training only</source>
        <translation>solo al entrenar</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>sí</translation>
    </message>
    <message>
        <source>no</source>
        <translation>no</translation>
    </message>
    <message>
        <source>undefined</source>
        <translation>indefinida</translation>
    </message>
    <message>
        <source>The loss and its terms</source>
        <translation>La pérdida y sus términos</translation>
    </message>
    <message>
        <source>The loss</source>
        <translation>La pérdida</translation>
    </message>
    <message>
        <source>What transformers computes</source>
        <translation>Lo que calcula transformers</translation>
    </message>
    <message>
        <source>What training adds up</source>
        <translation>Lo que suma el entrenamiento</translation>
    </message>
    <message>
        <source>total</source>
        <translation>total</translation>
    </message>
    <message>
        <source>training</source>
        <translation>entrenamiento</translation>
    </message>
    <message>
        <source>value</source>
        <translation>valor</translation>
    </message>
    <message>
        <source>probability</source>
        <translation>probabilidad</translation>
    </message>
    <message>
        <source>right</source>
        <translation>correcto</translation>
    </message>
    <message>
        <source>loss</source>
        <translation>pérdida</translation>
    </message>
    <message>
        <source>counted</source>
        <translation>cuenta</translation>
    </message>
    <message>
        <source>{term}: {target}, ignored</source>
        <translation>{term}: {target}, ignorado</translation>
    </message>
    <message>
        <source>{term}: right is {target}, the model gives {value}, costs {loss}</source>
        <translation>{term}: lo correcto es {target}, el modelo da {value}, coste {loss}</translation>
    </message>
    <message>
        <source>{term}: right is {target}, held for {percent} likely, costs {loss}</source>
        <translation>{term}: lo correcto es {target}, con una probabilidad de {percent}, coste {loss}</translation>
    </message>
    <message>
        <source>Term</source>
        <translation>Término</translation>
    </message>
    <message>
        <source>What is right</source>
        <translation>Lo correcto</translation>
    </message>
    <message>
        <source>Its probability</source>
        <translation>Su probabilidad</translation>
    </message>
    <message>
        <source>Loss: −log p</source>
        <translation>Pérdida: −log p</translation>
    </message>
    <message>
        <source>What the model gives</source>
        <translation>Lo que da el modelo</translation>
    </message>
    <message>
        <source>Loss: squared</source>
        <translation>Pérdida: al cuadrado</translation>
    </message>
    <message>
        <source>ignored</source>
        <translation>ignorado</translation>
    </message>
    <message>
        <source>Point at a cell, or walk with the arrow keys.</source>
        <translation>Señala una celda o recórrelas con las flechas.</translation>
    </message>
    <message>
        <source>Change of the score</source>
        <translation>Cambio de la puntuación</translation>
    </message>
    <message>
        <source>Score without each sentence</source>
        <translation>Puntuación sin cada frase</translation>
    </message>
    <message>
        <source>Without sentence {number} of {count}, which holds the answer: score {before} becomes {score} ({change}). {text}</source>
        <translation>Sin la frase {number} de {count}, que contiene la respuesta: la puntuación pasa de {before} a {score} ({change}). {text}</translation>
    </message>
    <message>
        <source>Without sentence {number} of {count}, which holds the answer: score {before} becomes {score} ({change}), {likely} becomes {percent}. {text}</source>
        <translation>Sin la frase {number} de {count}, que contiene la respuesta: la puntuación pasa de {before} a {score} ({change}) y la probabilidad, de {likely} a {percent}. {text}</translation>
    </message>
    <message>
        <source>Without sentence {number} of {count}: score {before} becomes {score} ({change}). {text}</source>
        <translation>Sin la frase {number} de {count}: la puntuación pasa de {before} a {score} ({change}). {text}</translation>
    </message>
    <message>
        <source>Without sentence {number} of {count}: score {before} becomes {score} ({change}), {likely} becomes {percent}. {text}</source>
        <translation>Sin la frase {number} de {count}: la puntuación pasa de {before} a {score} ({change}) y la probabilidad, de {likely} a {percent}. {text}</translation>
    </message>
    <message>
        <source>sentence</source>
        <translation>frase</translation>
    </message>
    <message>
        <source>start</source>
        <translation>inicio</translation>
    </message>
    <message>
        <source>end</source>
        <translation>fin</translation>
    </message>
    <message>
        <source>score</source>
        <translation>puntuación</translation>
    </message>
    <message>
        <source>score without</source>
        <translation>puntuación sin ella</translation>
    </message>
    <message>
        <source>change</source>
        <translation>cambio</translation>
    </message>
    <message>
        <source>probability without</source>
        <translation>probabilidad sin ella</translation>
    </message>
    <message>
        <source>holds the answer</source>
        <translation>contiene la respuesta</translation>
    </message>
    <message>
        <source>Without this sentence</source>
        <translation>Sin esta frase</translation>
    </message>
    <message>
        <source>falls</source>
        <translation>baja</translation>
    </message>
    <message>
        <source>rises</source>
        <translation>sube</translation>
    </message>
    <message>
        <source>Spans by start and end</source>
        <translation>Fragmentos por inicio y fin</translation>
    </message>
    <message>
        <source>Start + end logits</source>
        <translation>Logits de inicio + fin</translation>
    </message>
    <message>
        <source>No span that may be an answer begins here</source>
        <translation>Aquí no empieza ningún fragmento que pueda ser una respuesta</translation>
    </message>
    <message>
        <source>Tokens {first} to {last}</source>
        <translation>Tokens {first} a {last}</translation>
    </message>
    <message>
        <source>Score {sum}</source>
        <translation>Puntuación {sum}</translation>
    </message>
    <message>
        <source>Probability {percent}</source>
        <translation>Probabilidad {percent}</translation>
    </message>
    <message>
        <source>first token</source>
        <translation>primer token</translation>
    </message>
    <message>
        <source>last token</source>
        <translation>último token</translation>
    </message>
    <message>
        <source>words</source>
        <translation>palabras</translation>
    </message>
    <message>
        <source>start logit</source>
        <translation>logit de inicio</translation>
    </message>
    <message>
        <source>end logit</source>
        <translation>logit de fin</translation>
    </message>
    <message>
        <source>Point at a token, or walk with the arrow keys.</source>
        <translation>Señala un token o recórrelos con las flechas.</translation>
    </message>
    <message>
        <source>Start and end scores</source>
        <translation>Puntuaciones de inicio y fin</translation>
    </message>
    <message>
        <source>{token}: start {start} ({start_percent}), end {end} ({end_percent})</source>
        <translation>{token}: inicio {start} ({start_percent}), fin {end} ({end_percent})</translation>
    </message>
    <message>
        <source>id</source>
        <translation>id</translation>
    </message>
    <message>
        <source>part</source>
        <translation>parte</translation>
    </message>
    <message>
        <source>start probability</source>
        <translation>probabilidad de inicio</translation>
    </message>
    <message>
        <source>end probability</source>
        <translation>probabilidad de fin</translation>
    </message>
    <message>
        <source>candidate</source>
        <translation>candidato</translation>
    </message>
    <message>
        <source>{number:.0f}%</source>
        <translation>{number:.0f}&#xa0;%</translation>
    </message>
    <message>
        <source>second passage</source>
        <translation>segundo pasaje</translation>
    </message>
    <message>
        <source>question</source>
        <translation>pregunta</translation>
    </message>
    <message>
        <source>special token</source>
        <translation>token especial</translation>
    </message>
    <message>
        <source>Token {number} of {count}, “{label}”</source>
        <translation>Token {number} de {count}, «{label}»</translation>
    </message>
    <message>
        <source>Token {number} of {count}, “{label}”, {kind}</source>
        <translation>Token {number} de {count}, «{label}», {kind}</translation>
    </message>
    <message>
        <source>Dimension {number} of {count}: {values}</source>
        <translation>Dimensión {number} de {count}: {values}</translation>
    </message>
    <message>
        <source>dimension</source>
        <translation>dimensión</translation>
    </message>
    <message>
        <source>Dimensions
{first} to {last}</source>
        <translation>Dimensiones
{first} a {last}</translation>
    </message>
    <message>
        <source>It follows.</source>
        <translation>Continúa.</translation>
    </message>
    <message>
        <source>It does not follow.</source>
        <translation>No continúa.</translation>
    </message>
    <message>
        <source>It follows</source>
        <translation>Continúa</translation>
    </message>
    <message>
        <source>It does not follow</source>
        <translation>No continúa</translation>
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
        <translation>{answer} (poca seguridad)</translation>
    </message>
    <message>
        <source>The text does not say</source>
        <translation>El texto no lo dice</translation>
    </message>
    <message>
        <source>No class stands out</source>
        <translation>No destaca ninguna clase</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Comparar</translation>
    </message>
    <message>
        <source>same input, same head</source>
        <translation>misma entrada, misma cabeza</translation>
    </message>
    <message>
        <source>Two models with the same head read the very same text, each with the tokens, the window and the calibration of its own. Probabilities can be compared; scores in logits cannot, since every model has its own scale.</source>
        <translation>Dos modelos con la misma cabeza leen el mismo texto, cada uno con sus propios tokens, su ventana y su calibración. Las probabilidades se pueden comparar; las puntuaciones en logits no, porque cada modelo tiene su propia escala.</translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation>Comparar con</translation>
    </message>
    <message>
        <source>The second model</source>
        <translation>El segundo modelo</translation>
    </message>
    <message>
        <source>{model} is the only model here that does this. Put a second model folder beside it (Settings shows where), or train one of your own on your own examples; it stands here as soon as it is installed.</source>
        <translation>{model} es el único modelo de aquí que hace esto. Pon a su lado la carpeta de un segundo modelo (en Ajustes se ve dónde) o entrena uno propio con tus ejemplos; aparecerá aquí en cuanto esté instalado.</translation>
    </message>
    <message>
        <source>Reading with both models</source>
        <translation>Leyendo con los dos modelos</translation>
    </message>
    <message>
        <source>Both come to the same.</source>
        <translation>Los dos dan el mismo resultado.</translation>
    </message>
    <message>
        <source>They do not come to the same.</source>
        <translation>No dan el mismo resultado.</translation>
    </message>
    <message>
        <source>{model} is {times:.1f} times as fast.</source>
        <translation>{model} es {times:.1f} veces más rápido.</translation>
    </message>
    <message>
        <source>Still reading…</source>
        <translation>Sigue leyendo…</translation>
    </message>
    <message>
        <source>in {time}</source>
        <translation>en {time}</translation>
    </message>
    <message>
        <source>Results of {model}</source>
        <translation>Resultados de {model}</translation>
    </message>
    <message>
        <source>Two models compared</source>
        <translation>Dos modelos comparados</translation>
    </message>
    <message>
        <source>model</source>
        <translation>modelo</translation>
    </message>
    <message>
        <source>result</source>
        <translation>resultado</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>segundos</translation>
    </message>
    <message>
        <source>A place outside the window is first moved back to the window’s length, one past its last token, and that place is then ignored.</source>
        <translation>Una posición fuera de la ventana se lleva primero a la longitud de la ventana, una más allá de su último token, y luego se ignora.</translation>
    </message>
    <message>
        <source>Nothing is left to take a mean of: the sum is 0 and so is the count, and 0 divided by 0 is not a number. That is what transformers returns. Spanlight’s training adds nothing for such an example, so that one window without its answer cannot spoil all weights.</source>
        <translation>No queda nada de lo que tomar la media: la suma es 0 y el número de términos también, y 0 dividido entre 0 no es un número. Eso es lo que devuelve transformers. El entrenamiento de Spanlight no suma nada por un ejemplo así, para que una sola ventana sin su respuesta no pueda estropear todos los pesos.</translation>
    </message>
    <message>
        <source>One of the two means has nothing left to be taken of: 0 divided by 0 is not a number, and neither is its sum with the other. That is what transformers returns. Spanlight’s training adds only the half that is defined.</source>
        <translation>A una de las dos medias no le queda nada que promediar: 0 dividido entre 0 no es un número, y tampoco lo es su suma con la otra. Eso es lo que devuelve transformers. El entrenamiento de Spanlight suma solo la mitad que está definida.</translation>
    </message>
    <message>
        <source>This model has one label, and its config does not name the kind of problem. Spanlight takes the label for yes or no: binary cross-entropy. transformers takes it for a value: squared error. So the two differ here.</source>
        <translation>Este modelo tiene una sola etiqueta y su configuración no indica el tipo de problema. Spanlight toma la etiqueta como un sí o no: entropía cruzada binaria. transformers la toma como un valor: error cuadrático. Por eso aquí difieren.</translation>
    </message>
    <message>
        <source>None of them</source>
        <translation>Ninguna</translation>
    </message>
    <message>
        <source>No names</source>
        <translation>Ningún nombre</translation>
    </message>
    <message>
        <source>An answer beyond what is read</source>
        <translation>Una respuesta más allá de lo leído</translation>
    </message>
    <message>
        <source>Text with what is right</source>
        <translation>Texto con lo que es correcto</translation>
    </message>
    <message>
        <source>cross-entropy</source>
        <translation>entropía cruzada</translation>
    </message>
    <message>
        <source>The loss says how far the model is from what is right. Training makes it smaller, and nothing else: each term takes the probability that the model gives to what is right, and its logarithm with the sign turned is the cost.</source>
        <translation>La pérdida dice cuánto se aleja el modelo de lo correcto. El entrenamiento la reduce, y nada más: cada término toma la probabilidad que el modelo da a lo correcto, y su logaritmo con el signo cambiado es el coste.</translation>
    </message>
    <message>
        <source>The loss says how far the model is from what is right. Training makes it smaller, and nothing else. This model gives a value: the difference between it and the right one, squared, is the cost.</source>
        <translation>La pérdida dice cuánto se aleja el modelo de lo correcto. El entrenamiento la reduce, y nada más. Este modelo da un valor: la diferencia entre él y el correcto, al cuadrado, es el coste.</translation>
    </message>
    <message>
        <source>Nothing is known to be right</source>
        <translation>No se sabe qué es lo correcto</translation>
    </message>
    <message>
        <source>The right value</source>
        <translation>El valor correcto</translation>
    </message>
    <message>
        <source>Select other words of the text to see their loss.</source>
        <translation>Selecciona otras palabras del texto para ver su pérdida.</translation>
    </message>
    <message>
        <source>Looking for the model’s own result</source>
        <translation>Buscando el resultado del propio modelo</translation>
    </message>
    <message>
        <source>Computing the loss</source>
        <translation>Calculando la pérdida</translation>
    </message>
    <message>
        <source>The smaller, the better: 0 would mean that the model’s value is the right one; {loss:.3g} is the cost here.</source>
        <translation>Cuanto menor, mejor: 0 significaría que el valor del modelo es el correcto; aquí el coste es {loss:.3g}.</translation>
    </message>
    <message>
        <source>The smaller, the better: 0 would mean that the model was certain of what is right; {loss:.3g} is the cost here.</source>
        <translation>Cuanto menor, mejor: 0 significaría que el modelo estaba seguro de lo correcto; aquí el coste es {loss:.3g}.</translation>
    </message>
    <message>
        <source>One result for the text</source>
        <translation>Un resultado para el texto</translation>
    </message>
    <message>
        <source>One for each token</source>
        <translation>Uno para cada token</translation>
    </message>
    <message>
        <source>A start and an end</source>
        <translation>Un inicio y un fin</translation>
    </message>
    <message>
        <source>It judges the text as a whole, so it goes on from the first token alone, through a pooler of its own.</source>
        <translation>Juzga el texto en su conjunto, así que parte solo del primer token, a través de un pooler propio.</translation>
    </message>
    <message>
        <source>It says something of each token, so the same few weights are put to every token’s state.</source>
        <translation>Dice algo de cada token, así que el mismo puñado de pesos se aplica al estado de cada token.</translation>
    </message>
    <message>
        <source>It marks a stretch of the text, so every token gets two scores: one as the first, one as the last.</source>
        <translation>Marca un tramo del texto, así que cada token recibe dos puntuaciones: una como primero y otra como último.</translation>
    </message>
    <message>
        <source>Teaching makes the loss smaller, cross-entropy between the scores and the right class; the weights below are taught along.</source>
        <translation>Al enseñar se reduce la pérdida, la entropía cruzada entre las puntuaciones y la clase correcta; los pesos de debajo también aprenden.</translation>
    </message>
    <message>
        <source>Teaching makes the loss smaller, cross-entropy between each token’s scores and its right tag; the weights below are taught along.</source>
        <translation>Al enseñar se reduce la pérdida, la entropía cruzada entre las puntuaciones de cada token y su etiqueta correcta; los pesos de debajo también aprenden.</translation>
    </message>
    <message>
        <source>Teaching makes the loss smaller, the mean of two cross-entropies over the tokens: one for the start, one for the end; the weights below are taught along.</source>
        <translation>Al enseñar se reduce la pérdida, la media de dos entropías cruzadas sobre los tokens: una para el inicio y otra para el fin; los pesos de debajo también aprenden.</translation>
    </message>
    <message>
        <source>It has {number:,} weights of its own, on top of {below:,} that {model} has below its heads.</source>
        <translation>Tiene {number:,} pesos propios, además de los {below:,} que {model} tiene debajo de sus cabezas.</translation>
    </message>
    <message>
        <source>It has {number:,} weights of its own for {classes} classes, on top of {below:,} that {model} has below its heads.</source>
        <translation>Tiene {number:,} pesos propios para {classes} clases, además de los {below:,} que {model} tiene debajo de sus cabezas.</translation>
    </message>
    <message>
        <source>Spanlight teaches such a head in the terminal: {command}.</source>
        <translation>Spanlight enseña una cabeza así en la terminal: {command}.</translation>
    </message>
    <message>
        <source>A head of your own</source>
        <translation>Una cabeza propia</translation>
    </message>
    <message>
        <source>a torch module on top of the base model</source>
        <translation>un módulo de torch sobre el modelo base</translation>
    </message>
    <message>
        <source>A head is small: nearly all that is known of language is in the layers below, which are built alike for every head. A head of your own has to settle only which states it takes and how many numbers it gives.</source>
        <translation>Una cabeza es pequeña: casi todo lo que se sabe de la lengua está en las capas de debajo, que están construidas igual para todas las cabezas. Una cabeza propia solo tiene que decidir qué estados recibe y cuántos números da.</translation>
    </message>
    <message>
        <source>What it gives</source>
        <translation>Lo que da</translation>
    </message>
    <message>
        <source>Code of the head</source>
        <translation>Código de la cabeza</translation>
    </message>
    <message>
        <source>Copy the code</source>
        <translation>Copiar el código</translation>
    </message>
    <message>
        <source>The code is copied</source>
        <translation>Código copiado</translation>
    </message>
    <message>
        <source>An answer may start or end at any token of the text, so each is judged by a state of its own. A class is one result for the whole text, so one state must stand for all of it. That is the first token, {token}: it means nothing by itself, and in every layer it looks at all others, so it can gather what the class depends on.</source>
        <translation>Una respuesta puede empezar o terminar en cualquier token del texto, así que cada uno se juzga por su propio estado. Una clase es un solo resultado para todo el texto, así que un solo estado debe representarlo entero. Ese es el del primer token, {token}: no significa nada por sí mismo y en cada capa mira a todos los demás, así que puede reunir aquello de lo que depende la clase.</translation>
    </message>
    <message>
        <source>Why does question answering take every token’s state, and classification only the pooled {token}?</source>
        <translation>¿Por qué para responder a preguntas se usa el estado de cada token y para clasificar solo el {token} agrupado?</translation>
    </message>
    <message>
        <source>The sequence output’s first vector is {token} as the last layer leaves it. The pooled output is that vector put through one more layer: {size:,} weighted sums of its numbers, each squeezed between −1 and 1 by tanh. Other numbers come out, made to judge the text as a whole: BERT’s pooler learned that by telling whether one passage follows another, ALBERT’s by telling which of two came first, and a classifier goes on teaching it. For a text to classify, “Pooled output and [CLS]” proves it in numbers.</source>
        <translation>El primer vector de la salida de secuencia es {token} tal como lo deja la última capa. La salida agrupada es ese vector pasado por una capa más: {size:,} sumas ponderadas de sus números, cada una comprimida entre −1 y 1 por tanh. Salen otros números, hechos para juzgar el texto en su conjunto: el pooler de BERT lo aprendió diciendo si un pasaje continúa otro, el de ALBERT diciendo cuál de dos iba primero, y con un clasificador sigue aprendiendo. Con un texto para clasificar, «Salida agrupada y [CLS]» lo demuestra con números.</translation>
    </message>
    <message>
        <source>Why does question answering take every token’s state, and classification only {token}?</source>
        <translation>¿Por qué para responder a preguntas se usa el estado de cada token y para clasificar solo {token}?</translation>
    </message>
    <message>
        <source>In BERT the pooled output is the first token’s vector put through one more layer, dense and tanh, so its numbers are others. {family} has no such layer ahead of its heads here: the head for classes takes the first token’s vector itself and has a dense layer of its own, as the picture shows.</source>
        <translation>En BERT, la salida agrupada es el vector del primer token pasado por una capa más, densa y tanh, así que sus números son otros. Aquí {family} no tiene una capa así delante de sus cabezas: la cabeza para clases recibe el propio vector del primer token y tiene su propia capa densa, como muestra la imagen.</translation>
    </message>
    <message>
        <source>Why is the pooled output not the first vector of the sequence output?</source>
        <translation>¿Por qué la salida agrupada no es el primer vector de la salida de secuencia?</translation>
    </message>
    <message>
        <source>Any token may be where the answer starts or ends, so this head takes every token’s state; a head that judges the text as a whole takes only the first token, {token}.</source>
        <translation>Cualquier token puede ser donde empieza o termina la respuesta, así que esta cabeza recibe el estado de cada token; una cabeza que juzga el texto en su conjunto recibe solo el primer token, {token}.</translation>
    </message>
    <message>
        <source>This head judges the text as a whole, so it takes only the first token, {token}, which has looked at all others; a head that says something of each word takes every token’s state.</source>
        <translation>Esta cabeza juzga el texto en su conjunto, así que recibe solo el primer token, {token}, que ha mirado a todos los demás; una cabeza que dice algo de cada palabra recibe el estado de cada token.</translation>
    </message>
    <message>
        <source>This head takes every token’s state, because each token gets a result of its own; a head that judges the text as a whole takes only the first token, {token}.</source>
        <translation>Esta cabeza recibe el estado de cada token, porque cada token tiene su propio resultado; una cabeza que juzga el texto en su conjunto recibe solo el primer token, {token}.</translation>
    </message>
    <message>
        <source>Why it is so</source>
        <translation>Por qué es así</translation>
    </message>
    <message>
        <source>sequence output and pooled output</source>
        <translation>salida de secuencia y salida agrupada</translation>
    </message>
    <message>
        <source>What is often asked of BERT’s heads, answered for the model above.</source>
        <translation>Lo que se suele preguntar sobre las cabezas de BERT, respondido para el modelo de arriba.</translation>
    </message>
    <message>
        <source>What happens here</source>
        <translation>Qué ocurre aquí</translation>
    </message>
    <message>
        <source>encoder and heads, with the shapes that flow</source>
        <translation>codificador y cabezas, con las formas de los tensores</translation>
    </message>
    <message>
        <source>The text is cut into tokens, each token becomes a row of numbers, and layer by layer every token takes up something of the others.</source>
        <translation>El texto se divide en tokens, cada token se convierte en una fila de números y, capa a capa, cada token toma algo de los demás.</translation>
    </message>
    <message>
        <source>Show every module</source>
        <translation>Mostrar todos los módulos</translation>
    </message>
    <message>
        <source>Copy the tree as text</source>
        <translation>Copiar el árbol como texto</translation>
    </message>
    <message>
        <source>What print(model) gives</source>
        <translation>Lo que da print(model)</translation>
    </message>
    <message>
        <source>Opening the model</source>
        <translation>Abriendo el modelo</translation>
    </message>
    <message numerus="yes">
        <source>{model} · {family} · {n:,} weight · read off the model while it ran on {device}. Grey columns are heads that this family can have too.</source>
        <comment>{model} · {family} · {n:,} weights · read off the model while it ran on {device}. Grey columns are heads that this family can have too.</comment>
        <translation>
            <numerusform>{model} · {family} · {n:,} peso · leído del modelo mientras se ejecutaba en {device}. Las columnas grises son cabezas que esta familia también puede tener.</numerusform>
            <numerusform>{model} · {family} · {n:,} pesos · leído del modelo mientras se ejecutaba en {device}. Las columnas grises son cabezas que esta familia también puede tener.</numerusform>
        </translation>
    </message>
    <message>
        <source>Hide the modules</source>
        <translation>Ocultar los módulos</translation>
    </message>
    <message>
        <source>The modules are copied as text</source>
        <translation>Los módulos se han copiado como texto</translation>
    </message>
    <message>
        <source>Every module</source>
        <translation>Todos los módulos</translation>
    </message>
    <message>
        <source>Module</source>
        <translation>Módulo</translation>
    </message>
    <message>
        <source>What it says of itself</source>
        <translation>Lo que dice de sí mismo</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Pesos</translation>
    </message>
    <message>
        <source>Question answering takes every token’s state, so it leaves the pooled output aside.</source>
        <translation>Para responder a preguntas se usa el estado de cada token, así que la salida agrupada se deja de lado.</translation>
    </message>
    <message>
        <source>Filling in takes the hidden tokens’ states, so it leaves the pooled output aside.</source>
        <translation>Para completar se usan los estados de los tokens ocultos, así que la salida agrupada se deja de lado.</translation>
    </message>
    <message>
        <source>Finding names takes every token’s state, so it leaves the pooled output aside.</source>
        <translation>Para encontrar nombres se usa el estado de cada token, así que la salida agrupada se deja de lado.</translation>
    </message>
    <message>
        <source>Pooled output</source>
        <translation>Salida agrupada</translation>
    </message>
    <message>
        <source>Head’s own layer</source>
        <translation>Capa propia de la cabeza</translation>
    </message>
    <message>
        <source>First token, {token}</source>
        <translation>Primer token, {token}</translation>
    </message>
    <message>
        <source>{formula} by hand is the same, to the last bits of the numbers: over all {count:,} dimensions the largest difference is {difference}.</source>
        <translation>{formula}, a mano, da lo mismo hasta los últimos bits de los números: en el total de {count:,} dimensiones, la mayor diferencia es {difference}.</translation>
    </message>
    <message>
        <source>{formula} by hand is the same, within what such numbers can hold: over all {count:,} dimensions the largest difference is {difference}.</source>
        <translation>{formula}, a mano, da lo mismo dentro de lo que pueden expresar estos números: en el total de {count:,} dimensiones, la mayor diferencia es {difference}.</translation>
    </message>
    <message>
        <source>{formula} by hand is not the same: over all {count:,} dimensions the largest difference is {difference}.</source>
        <translation>{formula}, a mano, no da lo mismo: en el total de {count:,} dimensiones, la mayor diferencia es {difference}.</translation>
    </message>
    <message>
        <source>The proof on this text</source>
        <translation>La prueba con este texto</translation>
    </message>
    <message>
        <source>W and b are the layer’s weights, h is the first token’s vector</source>
        <translation>W y b son los pesos de la capa, h es el vector del primer token</translation>
    </message>
    <message>
        <source>Both are held against what the model gave. All dimensions are below, under Numbers.</source>
        <translation>Ambos se comparan con lo que dio el modelo. Todas las dimensiones están abajo, en «Números».</translation>
    </message>
    <message>
        <source>{formula}, by hand</source>
        <translation>{formula}, a mano</translation>
    </message>
    <message>
        <source>Dimension</source>
        <translation>Dimensión</translation>
    </message>
    <message>
        <source>The first token’s vector is not the same: it differs by up to {difference}, and the cosine of the two is {cosine} (1 would be the same direction).</source>
        <translation>El vector del primer token no es el mismo: difiere hasta en {difference}, y el coseno entre los dos es {cosine} (1 sería la misma dirección).</translation>
    </message>
    <message>
        <source>{value:.7f}</source>
        <translation>{value:.7f}</translation>
    </message>
    <message>
        <source>Pooled output and [CLS]</source>
        <translation>Salida agrupada y [CLS]</translation>
    </message>
    <message>
        <source>pooler: first token, dense, tanh</source>
        <translation>pooler: primer token, densa, tanh</translation>
    </message>
    <message>
        <source>The pooled output is not the first token’s vector from the last layer: it is that vector put through one more layer, the pooler. BERT’s pooler was taught to tell whether one passage follows another (next sentence prediction), and its heads for a whole text take what it gives; heads that judge each token take the states themselves.</source>
        <translation>La salida agrupada no es el vector del primer token de la última capa: es ese vector pasado por una capa más, el pooler. Al pooler de BERT se le enseñó a decir si un pasaje continúa otro (predicción de la frase siguiente), y sus cabezas para textos enteros reciben lo que da; las cabezas que juzgan cada token reciben los propios estados.</translation>
    </message>
    <message>
        <source>Look at this text as one to classify</source>
        <translation>Ver este texto como uno para clasificar</translation>
    </message>
    <message>
        <source>A head for classes takes the first token alone</source>
        <translation>Una cabeza para clases recibe solo el primer token</translation>
    </message>
    <message>
        <source>First token and pooled output</source>
        <translation>Primer token y salida agrupada</translation>
    </message>
    <message>
        <source>Number by number</source>
        <translation>Número a número</translation>
    </message>
    <message>
        <source>hidden state h[CLS] and pooled output</source>
        <translation>estado oculto h[CLS] y salida agrupada</translation>
    </message>
    <message>
        <source>Each vector is a strip, a cell for each of its numbers: blue below zero, amber above. The same dimension stands in the same column, and the cells around the current one are shown large.</source>
        <translation>Cada vector es una tira, con una celda para cada uno de sus números: azul por debajo de cero, ámbar por encima. La misma dimensión está en la misma columna, y las celdas en torno a la actual se muestran ampliadas.</translation>
    </message>
    <message>
        <source>Computing the pooled output by hand</source>
        <translation>Calculando a mano la salida agrupada</translation>
    </message>
    <message>
        <source>Computed by hand</source>
        <translation>Calculado a mano</translation>
    </message>
    <message>
        <source>The head in use leaves the pooled output aside.</source>
        <translation>La cabeza en uso deja de lado la salida agrupada.</translation>
    </message>
    <message>
        <source>In this model no layer takes the first token alone: it has no pooler, and its head works from every token’s state. So there is no pooled output here; the first token’s vector is one state among the others. A model that tells classes has one.</source>
        <translation>En este modelo ninguna capa recibe solo el primer token: no tiene pooler, y su cabeza trabaja con el estado de cada token. Así que aquí no hay salida agrupada; el vector del primer token es un estado entre los demás. Un modelo que distingue clases sí la tiene.</translation>
    </message>
    <message>
        <source>{formula}, computed here by hand from the first token’s vector h with the weights of {layer}, equals the pooled output. The first vector itself does not.</source>
        <translation>{formula}, calculado aquí a mano a partir del vector h del primer token con los pesos de {layer}, es igual a la salida agrupada. El primer vector en sí no lo es.</translation>
    </message>
    <message>
        <source>{formula}, computed here by hand from the first token’s vector h with the weights of {layer}, should equal the pooled output. The first vector itself does not.</source>
        <translation>{formula}, calculado aquí a mano a partir del vector h del primer token con los pesos de {layer}, debería ser igual a la salida agrupada. El primer vector en sí no lo es.</translation>
    </message>
    <message>
        <source>This model has no pooler. Its head has a layer of its own for the first token, {layer}. {formula}, computed here by hand from the first token’s vector h with the weights of {layer}, equals what that layer gives. The first vector itself does not.</source>
        <translation>Este modelo no tiene pooler. Su cabeza tiene una capa propia para el primer token, {layer}. {formula}, calculado aquí a mano a partir del vector h del primer token con los pesos de {layer}, es igual a lo que da esa capa. El primer vector en sí no lo es.</translation>
    </message>
    <message>
        <source>This model has no pooler. Its head has a layer of its own for the first token, {layer}. {formula}, computed here by hand from the first token’s vector h with the weights of {layer}, should equal what that layer gives. The first vector itself does not.</source>
        <translation>Este modelo no tiene pooler. Su cabeza tiene una capa propia para el primer token, {layer}. {formula}, calculado aquí a mano a partir del vector h del primer token con los pesos de {layer}, debería ser igual a lo que da esa capa. El primer vector en sí no lo es.</translation>
    </message>
    <message>
        <source>the work on Look inside</source>
        <translation>el trabajo en «Ver por dentro»</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>Parado.</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>Mirar de nuevo</translation>
    </message>
    <message>
        <source>Sections</source>
        <translation>Secciones</translation>
    </message>
    <message>
        <source>Start and end</source>
        <translation>Inicio y fin</translation>
    </message>
    <message>
        <source>start and end logits, BERT, Devlin et al. 2019, section 4.2</source>
        <translation>logits de inicio y fin, BERT, Devlin et al. 2019, sección 4.2</translation>
    </message>
    <message>
        <source>For every token the head gives two numbers: how well an answer would begin there, and how well it would end there. A span’s score is the sum of its first token’s start and its last token’s end; the span with the largest sum is the answer. (In a long text it also counts how many of the question’s words stand near.) The same sum at the special token at the front, the null score, stands for “the text does not say”.</source>
        <translation>Para cada token, la cabeza da dos números: lo bien que empezaría ahí una respuesta y lo bien que terminaría ahí. La puntuación de un fragmento es la suma del inicio de su primer token y el fin del último; el fragmento con la mayor suma es la respuesta. (En un texto largo también cuenta cuántas palabras de la pregunta hay cerca.) La misma suma en el token especial del principio, la puntuación nula, representa «el texto no lo dice».</translation>
    </message>
    <message>
        <source>The text that was read</source>
        <translation>El texto que se leyó</translation>
    </message>
    <message>
        <source>The best spans</source>
        <translation>Los mejores fragmentos</translation>
    </message>
    <message>
        <source>Shown as</source>
        <translation>Mostrar como</translation>
    </message>
    <message>
        <source>Scores (logits)</source>
        <translation>Puntuaciones (logits)</translation>
    </message>
    <message>
        <source>Each token as first and last</source>
        <translation>Cada token como primero y último</translation>
    </message>
    <message>
        <source>Bars point away from the words: upwards for a beginning, downwards for an end. Pale tokens cannot be part of an answer or score below zero; the dashed line is the special token at the front.</source>
        <translation>Las barras se alejan de las palabras: hacia arriba para un comienzo, hacia abajo para un final. Los tokens pálidos no pueden formar parte de una respuesta o puntúan por debajo de cero; la línea discontinua es el token especial del principio.</translation>
    </message>
    <message>
        <source>n-best</source>
        <translation>los n mejores</translation>
    </message>
    <message>
        <source>The chosen one first, then the runners-up that do not overlap a better one. The probability is a span’s share among all spans of this window and the null score.</source>
        <translation>Primero el elegido y luego los siguientes que no se solapan con uno mejor. La probabilidad es la proporción de un fragmento entre todos los de esta ventana y la puntuación nula.</translation>
    </message>
    <message>
        <source>Every span</source>
        <translation>Todos los fragmentos</translation>
    </message>
    <message>
        <source>start × end</source>
        <translation>inicio × fin</translation>
    </message>
    <message>
        <source>One cell for each span: its first token to the left, its last token above. Spans of more than 48 tokens are left out.</source>
        <translation>Una celda para cada fragmento: a la izquierda su primer token, arriba el último. Se omiten los fragmentos de más de 48 tokens.</translation>
    </message>
    <message>
        <source>Reading the start and end scores</source>
        <translation>Leyendo las puntuaciones de inicio y fin</translation>
    </message>
    <message>
        <source>{token}: the text does not say</source>
        <translation>{token}: el texto no lo dice</translation>
    </message>
    <message>
        <source>rank</source>
        <translation>puesto</translation>
    </message>
    <message>
        <source>No span in window {number} of {count} can be an answer.</source>
        <translation>Ningún fragmento de la ventana {number} de {count} puede ser una respuesta.</translation>
    </message>
    <message>
        <source>No span can be an answer.</source>
        <translation>Ningún fragmento puede ser una respuesta.</translation>
    </message>
    <message>
        <source>The null score, at {token}, is {null}.</source>
        <translation>La puntuación nula, en {token}, es {null}.</translation>
    </message>
    <message>
        <source>The best span in window {number} of {count} is “{words}”: start and end are {sum}, {percent} among all spans of this window.</source>
        <translation>El mejor fragmento de la ventana {number} de {count} es «{words}»: inicio y fin suman {sum}, con una probabilidad de {percent} entre todos los fragmentos de esta ventana.</translation>
    </message>
    <message>
        <source>The best span is “{words}”: start and end are {sum}, {percent} among all spans of this window.</source>
        <translation>El mejor fragmento es «{words}»: inicio y fin suman {sum}, con una probabilidad de {percent} entre todos los fragmentos de esta ventana.</translation>
    </message>
    <message>
        <source>The span looked at in window {number} of {count} is “{words}”: start and end are {sum}, {percent} among all spans of this window.</source>
        <translation>El fragmento examinado de la ventana {number} de {count} es «{words}»: inicio y fin suman {sum}, con una probabilidad de {percent} entre todos los fragmentos de esta ventana.</translation>
    </message>
    <message>
        <source>The span looked at is “{words}”: start and end are {sum}, {percent} among all spans of this window.</source>
        <translation>El fragmento examinado es «{words}»: inicio y fin suman {sum}, con una probabilidad de {percent} entre todos los fragmentos de esta ventana.</translation>
    </message>
    <message>
        <source>The null score, at {token}, is {null} ({null_percent}): the answer lies {lead} above it.</source>
        <translation>La puntuación nula, en {token}, es {null} ({null_percent}): la respuesta queda {lead} por encima.</translation>
    </message>
    <message>
        <source>The null score, at {token}, is {null} ({null_percent}): the span lies {lead} below it.</source>
        <translation>La puntuación nula, en {token}, es {null} ({null_percent}): el fragmento queda {lead} por debajo.</translation>
    </message>
    <message>
        <source>This is window {number} of {count} of the text; the others are not in these numbers.</source>
        <translation>Esta es la ventana {number} de {count} del texto; las demás no están en estos números.</translation>
    </message>
    <message>
        <source>In many small steps</source>
        <translation>En muchos pasos pequeños</translation>
    </message>
    <message>
        <source>In one step</source>
        <translation>En un solo paso</translation>
    </message>
    <message>
        <source>integrated gradients, Sundararajan et al. 2017</source>
        <translation>gradientes integrados, Sundararajan et al. 2017</translation>
    </message>
    <message>
        <source>gradient × input, Shrikumar et al. 2016</source>
        <translation>gradiente × entrada, Shrikumar et al. 2016</translation>
    </message>
    <message>
        <source>Why this answer</source>
        <translation>Por qué esta respuesta</translation>
    </message>
    <message>
        <source>attribution, leaving out, attention</source>
        <translation>atribución, omisión, atención</translation>
    </message>
    <message>
        <source>Three ways to ask what the result rests on. None of them is the whole truth: the first shares the score out over the tokens, the second takes a sentence away and sees what becomes of the score, the third shows where each token looks inside the layers.</source>
        <translation>Tres maneras de preguntar en qué se apoya el resultado. Ninguna es toda la verdad: la primera reparte la puntuación entre los tokens, la segunda quita una frase y mira qué pasa con la puntuación, y la tercera muestra a dónde mira cada token dentro de las capas.</translation>
    </message>
    <message>
        <source>How the score is shared out</source>
        <translation>Cómo se reparte la puntuación</translation>
    </message>
    <message>
        <source>What is explained</source>
        <translation>Qué se explica</translation>
    </message>
    <message>
        <source>What speaks for it</source>
        <translation>Qué lo apoya</translation>
    </message>
    <message>
        <source>Which words speak for it</source>
        <translation>Qué palabras lo apoyan</translation>
    </message>
    <message>
        <source>attribution</source>
        <translation>atribución</translation>
    </message>
    <message>
        <source>Amber ground speaks for the result, blue against it; the stronger, the more. The numbers are in logits, the score’s own unit.</source>
        <translation>El fondo ámbar indica apoyo al resultado; el azul, lo contrario; cuanto más intenso, más. Los números están en logits, la unidad propia de la puntuación.</translation>
    </message>
    <message>
        <source>Without a sentence</source>
        <translation>Sin una frase</translation>
    </message>
    <message>
        <source>leave one out</source>
        <translation>omitir una</translation>
    </message>
    <message>
        <source>Each sentence is taken out in turn and the rest read anew. Where the score falls much, the result rested on that sentence.</source>
        <translation>Se quita cada frase por turno y el resto se lee de nuevo. Donde la puntuación baja mucho, el resultado se apoyaba en esa frase.</translation>
    </message>
    <message>
        <source>Reading without each sentence</source>
        <translation>Leyendo sin cada una de las frases</translation>
    </message>
    <message>
        <source>Following the score back to the words</source>
        <translation>Siguiendo la puntuación hasta las palabras</translation>
    </message>
    <message>
        <source>logits</source>
        <translation>logits</translation>
    </message>
    <message>
        <source>With padding in place of all words it would be {baseline}, a difference of {difference}; the shares of the words add up to {sum}, off by {gap} ({steps} steps).</source>
        <translation>Con relleno en lugar de todas las palabras sería {baseline}, una diferencia de {difference}; las aportaciones de las palabras suman {sum}, con un desvío de {gap} ({steps} pasos).</translation>
    </message>
    <message>
        <source>One step tells the slope at this very text; the shares need not add up to the score.</source>
        <translation>Un solo paso indica la pendiente en este texto concreto; las aportaciones no tienen por qué sumar la puntuación.</translation>
    </message>
    <message>
        <source>The text has no sentence that could be taken out.</source>
        <translation>El texto no tiene ninguna frase que se pueda quitar.</translation>
    </message>
    <message>
        <source>Without “{sentence}” it falls to {score}.</source>
        <translation>Sin «{sentence}» baja a {score}.</translation>
    </message>
    <message>
        <source>There is no sentence without which it falls.</source>
        <translation>No baja al quitar ninguna frase.</translation>
    </message>
    <message>
        <source>Score of {target}: {score}.</source>
        <translation>Puntuación de {target}: {score}.</translation>
    </message>
    <message>
        <source>For the answer</source>
        <translation>Para la respuesta</translation>
    </message>
    <message>
        <source>For “the text does not say”</source>
        <translation>Para «el texto no lo dice»</translation>
    </message>
    <message>
        <source>For “it follows”</source>
        <translation>Para «continúa»</translation>
    </message>
    <message>
        <source>For “it does not follow”</source>
        <translation>Para «no continúa»</translation>
    </message>
    <message>
        <source>For {label}</source>
        <translation>Para {label}</translation>
    </message>
    <message>
        <source>For the likeliest class</source>
        <translation>Para la clase más probable</translation>
    </message>
    <message>
        <source>For the likeliest word</source>
        <translation>Para la palabra más probable</translation>
    </message>
    <message>
        <source>The result itself</source>
        <translation>El propio resultado</translation>
    </message>
    <message>
        <source>Where each token looks</source>
        <translation>A dónde mira cada token</translation>
    </message>
    <message>
        <source>attention, softmax(QKᵀ / √d)</source>
        <translation>atención, softmax(QKᵀ / √d)</translation>
    </message>
    <message>
        <source>In every layer each head shares one whole out over all tokens: what a token takes up comes from where it looks. Looking somewhere is not yet a reason: much of it goes to special tokens such as [SEP], which means nowhere in particular.</source>
        <translation>En cada capa, cada cabeza reparte un todo entre todos los tokens: lo que un token toma viene de donde mira. Mirar a un sitio aún no es un motivo: buena parte va a tokens especiales como [SEP], que no significan ningún sitio en particular.</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Capa</translation>
    </message>
    <message>
        <source>Attention head</source>
        <translation>Cabeza de atención</translation>
    </message>
    <message>
        <source>How it is drawn</source>
        <translation>Cómo se dibuja</translation>
    </message>
    <message>
        <source>Lines</source>
        <translation>Líneas</translation>
    </message>
    <message>
        <source>Grid</source>
        <translation>Cuadrícula</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>Cabeza</translation>
    </message>
    <message>
        <source>Looking at the attention</source>
        <translation>Mirando la atención</translation>
    </message>
    <message>
        <source>{number} of {count}</source>
        <translation>{number} de {count}</translation>
    </message>
    <message>
        <source>Arrow keys walk through the numbers.</source>
        <translation>Las flechas recorren los números.</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} value</source>
        <comment>{n:,} values</comment>
        <translation>
            <numerusform>{n:,} valor</numerusform>
            <numerusform>{n:,} valores</numerusform>
        </translation>
    </message>
    <message>
        <source>Not {label}</source>
        <translation>No {label}</translation>
    </message>
    <message>
        <source>{number} more</source>
        <translation>{number} más</translation>
    </message>
    <message>
        <source>Every label is below one half, the highest at {percent}</source>
        <translation>Todas las etiquetas están por debajo del 50&#xa0;%; la más alta, {percent}</translation>
    </message>
    <message>
        <source>{number} of {total} apply, each {percent}</source>
        <translation>Se aplican {number} de {total}, cada una con {percent}</translation>
    </message>
    <message>
        <source>{number} of {total} apply, from {least} to {most}</source>
        <translation>Se aplican {number} de {total}, entre {least} y {most}</translation>
    </message>
    <message>
        <source>Unsure: the likeliest of {number}, {percent}</source>
        <translation>Dudoso: la más probable de {number}, {percent}</translation>
    </message>
    <message>
        <source>Classification</source>
        <translation>Clasificación</translation>
    </message>
    <message numerus="yes">
        <source>A long text: read whole in {n:,} window, then pooled.</source>
        <comment>A long text: read whole in {n:,} windows, then pooled.</comment>
        <translation>
            <numerusform>Un texto largo: leído entero en {n:,} ventana y luego agrupado.</numerusform>
            <numerusform>Un texto largo: leído entero en {n:,} ventanas y luego agrupado.</numerusform>
        </translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>Conservar</translation>
    </message>
    <message>
        <source>CSV (for any spreadsheet)…</source>
        <translation>CSV (para cualquier hoja de cálculo)…</translation>
    </message>
    <message>
        <source>Excel workbook…</source>
        <translation>Libro de Excel…</translation>
    </message>
    <message>
        <source>Excel workbook (*.xlsx)</source>
        <translation>Libro de Excel (*.xlsx)</translation>
    </message>
    <message>
        <source>JSON Lines…</source>
        <translation>JSON Lines…</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportar</translation>
    </message>
    <message>
        <source>Documents ({endings});;Code, logs and data ({plain});;All files (*)</source>
        <translation>Documentos ({endings});;Código, registros y datos ({plain});;Todos los archivos (*)</translation>
    </message>
    <message>
        <source>table</source>
        <translation>tabla</translation>
    </message>
    <message>
        <source>See models that read {language}</source>
        <translation>Ver modelos que leen {language}</translation>
    </message>
    <message>
        <source>There is no document to read in “{folder}”.</source>
        <translation>No hay ningún documento que leer en «{folder}».</translation>
    </message>
    <message>
        <source>There is no document to read in “{folder}”, only files of other kinds: {kinds}.</source>
        <translation>No hay ningún documento que leer en «{folder}», solo archivos de otros tipos: {kinds}.</translation>
    </message>
    <message>
        <source>PDF, Word, spreadsheets, slides, books, mails, web pages and plain texts are read, except hidden files.</source>
        <translation>Se leen PDF, Word, hojas de cálculo, diapositivas, libros, correos, páginas web y textos sin formato, excepto los archivos ocultos.</translation>
    </message>
    <message>
        <source>nothing new</source>
        <translation>nada nuevo</translation>
    </message>
    <message>
        <source>{library}: {found}</source>
        <translation>{library}: {found}</translation>
    </message>
    <message>
        <source>{filter}: which models are listed</source>
        <translation>{filter}: qué modelos se muestran</translation>
    </message>
    <message>
        <source>No program opened the folder.</source>
        <translation>Ningún programa ha abierto la carpeta.</translation>
    </message>
    <message>
        <source>The folder cannot be made.</source>
        <translation>No se puede crear la carpeta.</translation>
    </message>
    <message>
        <source>The folder is not there now.</source>
        <translation>La carpeta no está disponible ahora.</translation>
    </message>
    <message>
        <source>Password</source>
        <translation>Contraseña</translation>
    </message>
    <message>
        <source>Password of the file</source>
        <translation>Contraseña del archivo</translation>
    </message>
    <message>
        <source>Open with this password</source>
        <translation>Abrir con esta contraseña</translation>
    </message>
    <message>
        <source>Do not open the encrypted file</source>
        <translation>No abrir el archivo cifrado</translation>
    </message>
    <message>
        <source>That password does not fit.</source>
        <translation>Esa contraseña no es correcta.</translation>
    </message>
    <message>
        <source>{file} is encrypted. Type its password to open it here.</source>
        <translation>{file} está cifrado. Escribe su contraseña para abrirlo aquí.</translation>
    </message>
    <message>
        <source>This file is encrypted. Type its password to open it here.</source>
        <translation>Este archivo está cifrado. Escribe su contraseña para abrirlo aquí.</translation>
    </message>
    <message>
        <source>Waits for {ahead} to end</source>
        <translation>Espera a que termine {ahead}</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Progreso</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pausar</translation>
    </message>
    <message>
        <source>Pause  (Esc)</source>
        <translation>Pausar  (Esc)</translation>
    </message>
    <message>
        <source>Stop  (Esc)</source>
        <translation>Parar  (Esc)</translation>
    </message>
    <message>
        <source>Try the sample {title}: {question}</source>
        <translation>Probar el ejemplo {title}: {question}</translation>
    </message>
    <message>
        <source>Try the sample: {title}</source>
        <translation>Probar el ejemplo: {title}</translation>
    </message>
    <message>
        <source>Class probabilities</source>
        <translation>Probabilidades de las clases</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Borrar</translation>
    </message>
    <message>
        <source>Clear  (Esc)</source>
        <translation>Borrar  (Esc)</translation>
    </message>
    <message>
        <source>Section</source>
        <translation>Sección</translation>
    </message>
    <message>
        <source>Spanlight is not whole: {path} is missing.</source>
        <translation>Spanlight está incompleto: falta {path}.</translation>
    </message>
    <message>
        <source>Undo  (Ctrl+Z)</source>
        <translation>Deshacer  (Ctrl+Z)</translation>
    </message>
    <message>
        <source>These words instead</source>
        <translation>Mejor estas palabras</translation>
    </message>
    <message>
        <source>Select the right words in the document first  (E)</source>
        <translation>Selecciona antes en el documento las palabras correctas  (E)</translation>
    </message>
    <message>
        <source>Not in the text</source>
        <translation>No está en el texto</translation>
    </message>
    <message>
        <source>About {answer}:</source>
        <translation>Sobre {answer}:</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automático</translation>
    </message>
    <message>
        <source>32 bits</source>
        <translation>32 bits</translation>
    </message>
    <message>
        <source>16 bits, bfloat16</source>
        <translation>16 bits, bfloat16</translation>
    </message>
    <message>
        <source>16 bits, float16</source>
        <translation>16 bits, float16</translation>
    </message>
    <message>
        <source>16 bits (bfloat16)</source>
        <translation>16 bits (bfloat16)</translation>
    </message>
    <message>
        <source>16 bits (float16)</source>
        <translation>16 bits (float16)</translation>
    </message>
    <message>
        <source>Every number as exact as the model computes it.</source>
        <translation>Cada número, tan exacto como lo calcula el modelo.</translation>
    </message>
    <message>
        <source>Half the memory. Numbers are rounded more coarsely: probabilities may differ a little.</source>
        <translation>La mitad de memoria. Los números se redondean más: las probabilidades pueden variar un poco.</translation>
    </message>
    <message>
        <source>Half the memory. Numbers are rounded, and very large ones do not fit: a few models fail with it.</source>
        <translation>La mitad de memoria. Los números se redondean y los muy grandes no caben: con ello fallan algunos modelos.</translation>
    </message>
    <message>
        <source>It computes with 16 bits, which is fastest here.</source>
        <translation>Calcula con 16 bits, lo más rápido aquí.</translation>
    </message>
    <message>
        <source>It computes with 32 bits, which is faster here than 16.</source>
        <translation>Calcula con 32 bits, aquí más rápido que con 16.</translation>
    </message>
    <message>
        <source>It computes with {precision}, as was chosen.</source>
        <translation>Calcula con {precision}, como se eligió.</translation>
    </message>
    <message>
        <source>It is fastest with 16 bits.</source>
        <translation>Lo más rápido es con 16 bits.</translation>
    </message>
    <message>
        <source>It is faster with 32 bits than with 16.</source>
        <translation>Es más rápido con 32 bits que con 16.</translation>
    </message>
    <message>
        <source>It is fastest with {precision}.</source>
        <translation>Lo más rápido es con {precision}.</translation>
    </message>
    <message>
        <source>After the work that runs now.</source>
        <translation>Después del trabajo en curso.</translation>
    </message>
    <message>
        <source>Looking at what this computer has…</source>
        <translation>Mirando qué tiene este ordenador…</translation>
    </message>
    <message>
        <source>It was chosen, and is not here. Choose another one.</source>
        <translation>Se eligió, pero no está aquí. Elige otra opción.</translation>
    </message>
    <message>
        <source>Automatic takes {precision} here.</source>
        <translation>Aquí, la opción automática usa {precision}.</translation>
    </message>
    <message>
        <source>What was chosen to run models does not compute in {precision}. Choose another one.</source>
        <translation>Lo elegido para ejecutar los modelos no calcula con {precision}. Elige otra opción.</translation>
    </message>
    <message>
        <source>No model process runs.</source>
        <translation>No hay ningún proceso de modelos en marcha.</translation>
    </message>
    <message>
        <source>The model process takes {size}.</source>
        <translation>El proceso de modelos ocupa {size}.</translation>
    </message>
    <message>
        <source>{free} of the computer&apos;s {size} are free.</source>
        <translation>Quedan libres {free} de los {size} del ordenador.</translation>
    </message>
    <message>
        <source>{free} of the GPU&apos;s {size} are free.</source>
        <translation>Quedan libres {free} de los {size} de la GPU.</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} minute</source>
        <comment>{n:,} minutes</comment>
        <translation>
            <numerusform>{n:,} minuto</numerusform>
            <numerusform>{n:,} minutos</numerusform>
        </translation>
    </message>
    <message>
        <source>Never</source>
        <translation>Nunca</translation>
    </message>
    <message>
        <source>Takes the {device} now.</source>
        <translation>Ahora usa la {device}.</translation>
    </message>
    <message>
        <source>{free} of {whole} free</source>
        <translation>{free} de {whole} libres</translation>
    </message>
    <message>
        <source>for Look inside</source>
        <translation>para «Ver por dentro»</translation>
    </message>
    <message>
        <source>Where models run</source>
        <translation>Dónde se ejecutan los modelos</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Precisión</translation>
    </message>
    <message>
        <source>Unload models</source>
        <translation>Vaciar memoria</translation>
    </message>
    <message>
        <source>Unload when idle</source>
        <translation>Vaciar tras inactividad</translation>
    </message>
    <message>
        <source>They are loaded again when they are needed.</source>
        <translation>Se vuelven a cargar cuando hacen falta.</translation>
    </message>
    <message>
        <source>{precision}: not computed in by what was chosen above.</source>
        <translation>{precision}: lo elegido arriba no calcula con esta precisión.</translation>
    </message>
    <message>
        <source>No model is in memory.</source>
        <translation>No hay ningún modelo en memoria.</translation>
    </message>
    <message>
        <source>Make room</source>
        <translation>Hacer sitio</translation>
    </message>
    <message>
        <source>Models not asked for so long leave the memory; the next question loads them again.</source>
        <translation>Los modelos que no se usan durante ese tiempo salen de la memoria; la siguiente pregunta los vuelve a cargar.</translation>
    </message>
    <message>
        <source>Spanlight’s choice</source>
        <translation>Elección de Spanlight</translation>
    </message>
    <message>
        <source>the only one that can</source>
        <translation>el único que puede</translation>
    </message>
    <message>
        <source>Used for {page}</source>
        <translation>En uso en {page}</translation>
    </message>
    <message>
        <source>Let Spanlight choose</source>
        <translation>Que elija Spanlight</translation>
    </message>
    <message>
        <source>Use for {page}</source>
        <translation>Usar en {page}</translation>
    </message>
    <message>
        <source>What it does</source>
        <translation>Qué hace</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Quitar</translation>
    </message>
    <message>
        <source>Remove {model}?</source>
        <translation>¿Quitar {model}?</translation>
    </message>
    <message>
        <source>Also from the Hugging Face cache (frees {size})</source>
        <translation>También de la caché de Hugging Face (libera {size})</translation>
    </message>
    <message>
        <source>Other programs on this computer may use the same files</source>
        <translation>Otros programas de este ordenador pueden usar los mismos archivos</translation>
    </message>
    <message>
        <source>Download again…</source>
        <translation>Volver a descargar…</translation>
    </message>
    <message>
        <source>Measure…</source>
        <translation>Medir…</translation>
    </message>
    <message>
        <source>How good it is on questions with known answers</source>
        <translation>Cuánto acierta en preguntas con respuestas conocidas</translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation>Quitar…</translation>
    </message>
    <message>
        <source>Remove  (Del)</source>
        <translation>Quitar  (Supr)</translation>
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
        <translation>Descargando {model}</translation>
    </message>
    <message>
        <source>{model}: what was downloaded is deleted</source>
        <translation>{model}: se ha eliminado lo descargado</translation>
    </message>
    <message>
        <source>Use it for {page}</source>
        <translation>Usarlo en {page}</translation>
    </message>
    <message>
        <source>Spanlight is offline</source>
        <translation>Spanlight está sin conexión</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} de {total}</translation>
    </message>
    <message>
        <source>waits for {model}</source>
        <translation>espera a {model}</translation>
    </message>
    <message>
        <source>begins</source>
        <translation>empieza</translation>
    </message>
    <message>
        <source>is being thrown away</source>
        <translation>se está descartando</translation>
    </message>
    <message>
        <source>is installed, and used for {page} now</source>
        <translation>instalado y ya en uso en {page}</translation>
    </message>
    <message>
        <source>is installed</source>
        <translation>instalado</translation>
    </message>
    <message>
        <source>paused at {amount}, begun {moment}</source>
        <translation>en pausa con {amount}; inicio: {moment}</translation>
    </message>
    <message>
        <source>paused at {amount}</source>
        <translation>en pausa con {amount}</translation>
    </message>
    <message>
        <source>{size} a second</source>
        <translation>{size} por segundo</translation>
    </message>
    <message>
        <source>Folder…</source>
        <translation>Carpeta…</translation>
    </message>
    <message>
        <source>Import a folder</source>
        <translation>Importar una carpeta</translation>
    </message>
    <message>
        <source>Zip…</source>
        <translation>Zip…</translation>
    </message>
    <message>
        <source>Import a zip</source>
        <translation>Importar un zip</translation>
    </message>
    <message>
        <source>Leave the folder where it is</source>
        <translation>Dejar la carpeta donde está</translation>
    </message>
    <message>
        <source>Nothing is copied: the model is gone when the folder is moved or deleted</source>
        <translation>No se copia nada: si la carpeta se mueve o se elimina, el modelo desaparece</translation>
    </message>
    <message>
        <source>A model you have already</source>
        <translation>Un modelo que ya tienes</translation>
    </message>
    <message>
        <source>Drop its folder or zip here. It is checked first.</source>
        <translation>Suelta aquí su carpeta o su zip. Se comprueba antes de añadirlo.</translation>
    </message>
    <message>
        <source>Import a model&apos;s folder</source>
        <translation>Importar la carpeta de un modelo</translation>
    </message>
    <message>
        <source>Zip files (*.zip)</source>
        <translation>Archivos zip (*.zip)</translation>
    </message>
    <message>
        <source>{file} waits for the download</source>
        <translation>{file} espera a la descarga</translation>
    </message>
    <message>
        <source>Importing {file}</source>
        <translation>Importando {file}</translation>
    </message>
    <message>
        <source>Importing it</source>
        <translation>Importando</translation>
    </message>
    <message>
        <source>{file}: {what}</source>
        <translation>{file}: {what}</translation>
    </message>
    <message>
        <source>{model} is installed</source>
        <translation>{model} instalado</translation>
    </message>
    <message>
        <source>{file} was not imported</source>
        <translation>{file} no se ha importado</translation>
    </message>
    <message>
        <source>Import stopped; nothing was added</source>
        <translation>Importación parada; no se ha añadido nada</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>Tarea</translation>
    </message>
    <message>
        <source>Installed</source>
        <translation>Instalado</translation>
    </message>
    <message>
        <source>Search what is installed</source>
        <translation>Buscar en lo instalado</translation>
    </message>
    <message>
        <source>Installed models</source>
        <translation>Modelos instalados</translation>
    </message>
    <message>
        <source>It comes with Spanlight and cannot be removed.</source>
        <translation>Viene con Spanlight y no se puede quitar.</translation>
    </message>
    <message>
        <source>Came from</source>
        <translation>Procedencia</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Carpeta</translation>
    </message>
    <message>
        <source>No installed model fits this search.</source>
        <translation>Ningún modelo instalado coincide con la búsqueda.</translation>
    </message>
    <message>
        <source>No model is installed</source>
        <translation>No hay ningún modelo instalado</translation>
    </message>
    <message>
        <source>Spanlight reads with models that lie on this computer. Choose one that suits you: a small one takes a minute to download.</source>
        <translation>Spanlight lee con modelos que están en este ordenador. Elige uno que te convenga: uno pequeño se descarga en un minuto.</translation>
    </message>
    <message>
        <source>Get a model</source>
        <translation>Obtener un modelo</translation>
    </message>
    <message>
        <source>Removing {model}</source>
        <translation>Quitando {model}</translation>
    </message>
    <message>
        <source>{model} removed</source>
        <translation>{model} quitado</translation>
    </message>
    <message>
        <source>Its files stay in the Hugging Face cache, so that hardly any room is freed.</source>
        <translation>Sus archivos siguen en la caché de Hugging Face, así que apenas se libera espacio.</translation>
    </message>
    <message>
        <source>This frees {size}; its files stay in the Hugging Face cache.</source>
        <translation>Esto libera {size}; sus archivos siguen en la caché de Hugging Face.</translation>
    </message>
    <message>
        <source>This frees {size}.</source>
        <translation>Esto libera {size}.</translation>
    </message>
    <message>
        <source>It is used for {pages}: another model takes its place where there is one.</source>
        <translation>Se usa en {pages}: otro modelo ocupará su lugar, si lo hay.</translation>
    </message>
    <message numerus="yes">
        <source>It answered {n:,} kept question; the answers stay.</source>
        <comment>It answered {n:,} kept questions; the answers stay.</comment>
        <translation>
            <numerusform>Respondió a {n:,} pregunta guardada; la respuesta se conserva.</numerusform>
            <numerusform>Respondió a {n:,} preguntas guardadas; las respuestas se conservan.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Its unfinished teaching from {n:,} correction goes too; the corrections stay.</source>
        <comment>Its unfinished teaching from {n:,} corrections goes too; the corrections stay.</comment>
        <translation>
            <numerusform>También se pierde su enseñanza sin terminar con {n:,} corrección; la corrección se conserva.</numerusform>
            <numerusform>También se pierde su enseñanza sin terminar con {n:,} correcciones; las correcciones se conservan.</numerusform>
        </translation>
    </message>
    <message>
        <source>It was last used {moment}.</source>
        <translation>Último uso: {moment}.</translation>
    </message>
    <message>
        <source>Cannot be used</source>
        <translation>No se puede usar</translation>
    </message>
    <message>
        <source>Makers&apos; figures</source>
        <translation>Cifras de los autores</translation>
    </message>
    <message>
        <source>They came with the model, and were not checked here</source>
        <translation>Venían con el modelo y aquí no se han comprobado</translation>
    </message>
    <message>
        <source>When taught</source>
        <translation>Tras la enseñanza</translation>
    </message>
    <message>
        <source>Measured on this computer when it had been taught</source>
        <translation>Medido en este ordenador al terminar la enseñanza</translation>
    </message>
    <message>
        <source>Name in commands</source>
        <translation>Nombre en comandos</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Tamaño</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} byte</source>
        <comment>{n:,} bytes</comment>
        <translation>
            <numerusform>{n:,} byte</numerusform>
            <numerusform>{n:,} bytes</numerusform>
        </translation>
    </message>
    <message>
        <source>Measured here</source>
        <translation>Medido aquí</translation>
    </message>
    <message>
        <source>Not yet</source>
        <translation>Todavía no</translation>
    </message>
    <message>
        <source>Last used</source>
        <translation>Último uso</translation>
    </message>
    <message>
        <source>A file of yours…</source>
        <translation>Un archivo tuyo…</translation>
    </message>
    <message>
        <source>The model calls things by other names. Say what each stands for in these examples; several may stand for one.</source>
        <translation>El modelo da otros nombres a las cosas. Indica a qué equivale cada uno en estos ejemplos; varios pueden equivaler a lo mismo.</translation>
    </message>
    <message>
        <source>Nothing here</source>
        <translation>Nada aquí</translation>
    </message>
    <message>
        <source>{label} stands for</source>
        <translation>{label} equivale a</translation>
    </message>
    <message>
        <source>Examples</source>
        <translation>Ejemplos</translation>
    </message>
    <message>
        <source>Have the model read the examples  (Ctrl+Enter)</source>
        <translation>Hacer que el modelo lea los ejemplos  (Ctrl+Enter)</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Medir</translation>
    </message>
    <message>
        <source>None that can be measured is installed</source>
        <translation>No hay instalado ninguno que se pueda medir</translation>
    </message>
    <message>
        <source>Choose a file with examples whose answers you know, or drop it here.</source>
        <translation>Elige un archivo con ejemplos cuyas respuestas conozcas o suéltalo aquí.</translation>
    </message>
    <message>
        <source>Measure another model on the same examples, and the two can be compared here.</source>
        <translation>Mide otro modelo con los mismos ejemplos y podrás comparar los dos aquí.</translation>
    </message>
    <message>
        <source>Figures side by side</source>
        <translation>Cifras lado a lado</translation>
    </message>
    <message>
        <source>Which examples were answered rightly</source>
        <translation>Qué ejemplos se acertaron</translation>
    </message>
    <message>
        <source>{examples}, on {device}, {moment}</source>
        <translation>{examples}, en {device}, {moment}</translation>
    </message>
    <message>
        <source>The exact McNemar test, over the examples that only one of the two got right: p = {chance:.2g}. Below 0.05 a difference is commonly held to be no chance.</source>
        <translation>Prueba exacta de McNemar, con los ejemplos que solo acertó uno de los dos: p = {chance:.2g}. Por debajo de 0,05 se suele considerar que una diferencia no es casual.</translation>
    </message>
    <message>
        <source>Both right</source>
        <translation>Aciertan ambos</translation>
    </message>
    <message>
        <source>Only {model}</source>
        <translation>Solo {model}</translation>
    </message>
    <message>
        <source>Neither</source>
        <translation>Ninguno</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>Nada</translation>
    </message>
    <message>
        <source>{number:,}, {share}</source>
        <translation>{number:,}, {share}</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Velocidad</translation>
    </message>
    <message>
        <source>Examples a second, the model loaded before</source>
        <translation>Ejemplos por segundo, con el modelo ya cargado</translation>
    </message>
    <message>
        <source>Examples a second, the model loaded before; the bar of the faster one is full</source>
        <translation>Ejemplos por segundo, con el modelo ya cargado; la barra del más rápido está llena</translation>
    </message>
    <message>
        <source>What it was measured on</source>
        <translation>Con qué se midió</translation>
    </message>
    <message>
        <source>Number</source>
        <translation>Número</translation>
    </message>
    <message>
        <source>Of questions, of classes (macro F1) or of names</source>
        <translation>De preguntas, de clases (F1 macro) o de nombres</translation>
    </message>
    <message>
        <source>A second</source>
        <translation>Por segundo</translation>
    </message>
    <message>
        <source>Examples a second; of reading alone, the model loaded before</source>
        <translation>Ejemplos por segundo; solo la lectura, con el modelo ya cargado</translation>
    </message>
    <message>
        <source>On</source>
        <translation>Dónde</translation>
    </message>
    <message>
        <source>Where the model ran</source>
        <translation>Dónde se ejecutó el modelo</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Cuándo</translation>
    </message>
    <message>
        <source>What was measured</source>
        <translation>Lo medido</translation>
    </message>
    <message>
        <source>Measured so far</source>
        <translation>Mediciones hasta ahora</translation>
    </message>
    <message>
        <source>The chosen rows, with every figure  (Ctrl+C)</source>
        <translation>Las filas seleccionadas, con todas las cifras  (Ctrl+C)</translation>
    </message>
    <message>
        <source>Copy as CSV</source>
        <translation>Copiar como CSV</translation>
    </message>
    <message>
        <source>Delete the chosen rows  (Del)</source>
        <translation>Eliminar las filas seleccionadas  (Supr)</translation>
    </message>
    <message>
        <source>Copied as CSV</source>
        <translation>Copiado como CSV</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} measure deleted</source>
        <comment>{n:,} measures deleted</comment>
        <translation>
            <numerusform>{n:,} medición eliminada</numerusform>
            <numerusform>{n:,} mediciones eliminadas</numerusform>
        </translation>
    </message>
    <message>
        <source>Only when asked</source>
        <translation>Solo si lo pides</translation>
    </message>
    <message>
        <source>Offline</source>
        <translation>Sin conexión</translation>
    </message>
    <message>
        <source>The network is used only when you look up or download a model here, or check for updates in the settings. Your texts, questions and answers never leave this computer.</source>
        <translation>La red solo se usa cuando consultas o descargas aquí un modelo, o cuando buscas actualizaciones en los ajustes. Tus textos, preguntas y respuestas nunca salen de este ordenador.</translation>
    </message>
    <message>
        <source>Nothing is reached over the network. What is installed works as ever; no model can be looked up or downloaded, and no update be seen.</source>
        <translation>No se accede a nada por la red. Lo instalado funciona como siempre; no se pueden consultar ni descargar modelos, ni ver actualizaciones.</translation>
    </message>
    <message>
        <source>Where models are looked up. Another address is for a mirror.</source>
        <translation>Dónde se consultan los modelos. Otra dirección sirve para usar una réplica.</translation>
    </message>
    <message>
        <source>For computers that reach the network by way of another one.</source>
        <translation>Para ordenadores que acceden a la red a través de otro.</translation>
    </message>
    <message>
        <source>The certificates that connections are checked with. Some companies and schools hand out a file of their own.</source>
        <translation>Los certificados con los que se comprueban las conexiones. Algunas empresas y escuelas entregan un archivo propio.</translation>
    </message>
    <message>
        <source>Downloads lie here, shared with other programs that use Hugging Face&apos;s tools.</source>
        <translation>Aquí están las descargas, compartidas con otros programas que usan las herramientas de Hugging Face.</translation>
    </message>
    <message>
        <source>How models are reached</source>
        <translation>Cómo se accede a los modelos</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Dirección</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>Proxy</translation>
    </message>
    <message>
        <source>The system&apos;s own</source>
        <translation>Del sistema</translation>
    </message>
    <message>
        <source>Certificates</source>
        <translation>Certificados</translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation>Elegir archivo…</translation>
    </message>
    <message>
        <source>Folder for downloads</source>
        <translation>Carpeta de descargas</translation>
    </message>
    <message>
        <source>The standard one</source>
        <translation>La estándar</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>Elegir carpeta…</translation>
    </message>
    <message>
        <source>Send the saved token</source>
        <translation>Enviar el token guardado</translation>
    </message>
    <message>
        <source>Who is asking</source>
        <translation>Quién pregunta</translation>
    </message>
    <message>
        <source>The one that Hugging Face&apos;s tools have saved; only for models whose owners ask people to register. Without it, requests name no account.</source>
        <translation>El que han guardado las herramientas de Hugging Face; solo para modelos cuyos propietarios piden registrarse. Sin él, las solicitudes no indican ninguna cuenta.</translation>
    </message>
    <message>
        <source>It is not used yet.</source>
        <translation>Todavía no se usa.</translation>
    </message>
    <message>
        <source>Choose certificates</source>
        <translation>Elegir certificados</translation>
    </message>
    <message>
        <source>Certificates (*.pem *.crt *.cer);;All files (*)</source>
        <translation>Certificados (*.pem *.crt *.cer);;Todos los archivos (*)</translation>
    </message>
    <message>
        <source>Choose a folder for downloads</source>
        <translation>Elegir una carpeta para las descargas</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Red</translation>
    </message>
    <message>
        <source>It is not in Spanlight’s own list.</source>
        <translation>No está en la lista de Spanlight.</translation>
    </message>
    <message>
        <source>This model cannot be used here.</source>
        <translation>Este modelo no se puede usar aquí.</translation>
    </message>
    <message>
        <source>Show it</source>
        <translation>Mostrarlo</translation>
    </message>
    <message>
        <source>It is installed.</source>
        <translation>Está instalado.</translation>
    </message>
    <message>
        <source>It is being downloaded: see below.</source>
        <translation>Se está descargando: mira abajo.</translation>
    </message>
    <message>
        <source>It was begun and is not finished: see below.</source>
        <translation>Se empezó y no está terminado: mira abajo.</translation>
    </message>
    <message>
        <source>Network…</source>
        <translation>Red…</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Reanudar</translation>
    </message>
    <message>
        <source>Nothing of it was downloaded.</source>
        <translation>No se ha descargado nada de él.</translation>
    </message>
    <message>
        <source>Look it up</source>
        <translation>Consultarlo</translation>
    </message>
    <message>
        <source>Spanlight is offline: nothing is asked of the network.</source>
        <translation>Spanlight está sin conexión: no se pide nada a la red.</translation>
    </message>
    <message>
        <source>Asks {host} about the model, and measures the download speed with about 2 MB. Nothing is kept yet.</source>
        <translation>Pregunta a {host} por el modelo y mide la velocidad de descarga con unos 2 MB. Todavía no se guarda nada.</translation>
    </message>
    <message>
        <source>Download {size}</source>
        <translation>Descargar {size}</translation>
    </message>
    <message>
        <source>There is not enough room: {size} are free.</source>
        <translation>No hay sitio suficiente: quedan {size} libres.</translation>
    </message>
    <message>
        <source>Add it</source>
        <translation>Añadirlo</translation>
    </message>
    <message>
        <source>Its files are in the Hugging Face cache: nothing is downloaded.</source>
        <translation>Sus archivos están en la caché de Hugging Face: no se descarga nada.</translation>
    </message>
    <message>
        <source>It can be paused, and goes on where it was.</source>
        <translation>Se puede pausar y continúa donde se quedó.</translation>
    </message>
    <message>
        <source>Its owner asks people to register first.</source>
        <translation>Su propietario pide registrarse antes.</translation>
    </message>
    <message>
        <source>Looking it up</source>
        <translation>Consultando</translation>
    </message>
    <message>
        <source>{model} was looked up; nothing was downloaded</source>
        <translation>{model}: consultado; no se ha descargado nada</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Idioma</translation>
    </message>
    <message>
        <source>organisation/name, or its address</source>
        <translation>propietario/modelo o dirección</translation>
    </message>
    <message>
        <source>A model&apos;s repository on Hugging Face, or its address</source>
        <translation>El repositorio de un modelo en Hugging Face o su dirección</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Mostrar</translation>
    </message>
    <message>
        <source>Show this repository</source>
        <translation>Mostrar este repositorio</translation>
    </message>
    <message>
        <source>Any other model</source>
        <translation>Cualquier otro modelo</translation>
    </message>
    <message>
        <source>Show {repository}</source>
        <translation>Mostrar {repository}</translation>
    </message>
    <message>
        <source>Get more</source>
        <translation>Obtener más</translation>
    </message>
    <message>
        <source>Search models</source>
        <translation>Buscar modelos</translation>
    </message>
    <message>
        <source>Models that can be had</source>
        <translation>Modelos disponibles</translation>
    </message>
    <message>
        <source>No model of this list fits. Any other can be named below.</source>
        <translation>Ningún modelo de esta lista coincide. Abajo puedes indicar cualquier otro.</translation>
    </message>
    <message>
        <source>Which model would you like?</source>
        <translation>¿Qué modelo quieres?</translation>
    </message>
    <message>
        <source>Choose one at the left to see what it can do, how large it is and under which licence it comes. Nothing is downloaded before you say so.</source>
        <translation>Elige uno a la izquierda para ver qué hace, cuánto ocupa y con qué licencia viene. No se descarga nada hasta que tú lo digas.</translation>
    </message>
    <message>
        <source>Up to 100 MB</source>
        <translation>Hasta 100 MB</translation>
    </message>
    <message>
        <source>Up to 300 MB</source>
        <translation>Hasta 300 MB</translation>
    </message>
    <message>
        <source>Up to 600 MB</source>
        <translation>Hasta 600 MB</translation>
    </message>
    <message>
        <source>Up to 1.5 GB</source>
        <translation>Hasta 1,5 GB</translation>
    </message>
    <message>
        <source>Free for any use</source>
        <translation>Libre para cualquier uso</translation>
    </message>
    <message>
        <source>With conditions</source>
        <translation>Con condiciones</translation>
    </message>
    <message>
        <source>Yes: it says so where the text does not answer</source>
        <translation>Sí: lo dice cuando el texto no responde</translation>
    </message>
    <message>
        <source>No: it always gives an answer</source>
        <translation>No: siempre da una respuesta</translation>
    </message>
    <message>
        <source>Readers that are stronger than yours, {model}, are marked in the list.</source>
        <translation>Los lectores más potentes que el tuyo, {model}, están marcados en la lista.</translation>
    </message>
    <message>
        <source>Stronger</source>
        <translation>Más potente</translation>
    </message>
    <message>
        <source>{time} a page</source>
        <translation>{time} por página</translation>
    </message>
    <message>
        <source>Recommended</source>
        <translation>Recomendado</translation>
    </message>
    <message>
        <source>read on {date}</source>
        <translation>consultado el {date}</translation>
    </message>
    <message>
        <source>Does</source>
        <translation>Qué hace</translation>
    </message>
    <message>
        <source>Says “no answer”</source>
        <translation>Dice «sin respuesta»</translation>
    </message>
    <message>
        <source>Classes</source>
        <translation>Clases</translation>
    </message>
    <message>
        <source>{size} to download</source>
        <translation>{size} por descargar</translation>
    </message>
    <message>
        <source>Reads</source>
        <translation>Lee</translation>
    </message>
    <message>
        <source>A longer text is read in windows that overlap</source>
        <translation>Un texto más largo se lee en ventanas que se solapan</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parámetros</translation>
    </message>
    <message>
        <source>Facts from</source>
        <translation>Datos de</translation>
    </message>
    <message>
        <source>Heads found in its weights: {heads}</source>
        <translation>Cabezas encontradas en sus pesos: {heads}</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>Archivos</translation>
    </message>
    <message>
        <source>Only these; weights come as safetensors and are checked</source>
        <translation>Solo estos; los pesos vienen como safetensors y se comprueban</translation>
    </message>
    <message>
        <source>Commit</source>
        <translation>Commit</translation>
    </message>
    <message>
        <source>{commit}: what is downloaded is exactly this</source>
        <translation>{commit}: se descarga exactamente esto</translation>
    </message>
    <message>
        <source>F1 {value}</source>
        <translation>F1 {value}</translation>
    </message>
    <message>
        <source>On its dev set, as the authors report it; nobody measured it here</source>
        <translation>Con sus datos de desarrollo, según los autores; aquí no lo ha medido nadie</translation>
    </message>
    <message>
        <source>{size}; {cached} of it in the Hugging Face cache already</source>
        <translation>{size}; {cached} ya en la caché de Hugging Face</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Descarga</translation>
    </message>
    <message>
        <source>Takes</source>
        <translation>Tarda</translation>
    </message>
    <message>
        <source>Free on the disk</source>
        <translation>Libre en el disco</translation>
    </message>
    <message>
        <source>About {time} at {speed} a second</source>
        <translation>Cerca de {time} a {speed} por segundo</translation>
    </message>
    <message>
        <source>To the chosen model&apos;s buttons</source>
        <translation>A los botones del modelo seleccionado</translation>
    </message>
    <message>
        <source>Remove the chosen model, after asking</source>
        <translation>Quitar el modelo seleccionado, tras preguntar</translation>
    </message>
    <message>
        <source>Copy, delete, bring back what was measured</source>
        <translation>Copiar, eliminar o recuperar lo medido</translation>
    </message>
    <message>
        <source>Stop or pause</source>
        <translation>Parar o pausar</translation>
    </message>
    <message>
        <source>When it says 70%, how often is it right?</source>
        <translation>Cuando dice 70&#xa0;%, ¿cuántas veces acierta?</translation>
    </message>
    <message>
        <source>Your verdicts</source>
        <translation>Tus veredictos</translation>
    </message>
    <message>
        <source>Point at a mark, or walk with the arrow keys.</source>
        <translation>Señala una marca o recórrelas con las flechas.</translation>
    </message>
    <message>
        <source>On the dashed line, it is right exactly as often as it says.</source>
        <translation>En la línea discontinua, acierta exactamente tantas veces como dice.</translation>
    </message>
    <message>
        <source>Words count as right when they share about half or more with a known answer (F1 of 0.5 or more), and never when the text does not answer. Marks for fewer than {fewest} questions are left out.</source>
        <translation>Las palabras cuentan como correctas cuando coinciden más o menos en la mitad o más con una respuesta conocida (F1 de 0,5 o más), y nunca cuando el texto no responde. Se omiten las marcas con menos de {fewest} preguntas.</translation>
    </message>
    <message>
        <source>Of the answers that you judged, those are right whose words you found right. The line through their mark is the interval that holds the true share 95 times in 100.</source>
        <translation>De las respuestas que has juzgado, son correctas aquellas cuyas palabras diste por buenas. La línea que cruza su marca es el intervalo que contiene la proporción real 95 de cada 100 veces.</translation>
    </message>
    <message>
        <source>{kind}: says {said} on average, is right in {right} of {questions}</source>
        <translation>{kind}: dice {said} de media, acierta en el {right} de {questions}</translation>
    </message>
    <message>
        <source>too unsure</source>
        <translation>demasiado inseguro</translation>
    </message>
    <message>
        <source>too sure</source>
        <translation>demasiado seguro</translation>
    </message>
    <message>
        <source>How often it is right</source>
        <translation>Cuántas veces acierta</translation>
    </message>
    <message>
        <source>How sure it says it is</source>
        <translation>Cuánta seguridad dice tener</translation>
    </message>
    <message>
        <source>Otherwise its probabilities are those that it came with; your verdicts stay</source>
        <translation>Si no, sus probabilidades son las que traía; tus veredictos se conservan</translation>
    </message>
    <message>
        <source>See your verdicts</source>
        <translation>Ver tus veredictos</translation>
    </message>
    <message>
        <source>On the page Teach</source>
        <translation>En la página Enseñar</translation>
    </message>
    <message numerus="yes">
        <source>Adjust its probabilities to your {n:,} verdict</source>
        <comment>Adjust its probabilities to your {n:,} verdicts</comment>
        <translation>
            <numerusform>Ajustar sus probabilidades a tu veredicto</numerusform>
            <numerusform>Ajustar sus probabilidades a tus {n:,} veredictos</numerusform>
        </translation>
    </message>
    <message>
        <source>{kind}: says {said} on average, is right in {right} ({answers})</source>
        <translation>{kind}: dice {said} de media, acierta en el {right} ({answers})</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} answer</source>
        <comment>{n:,} answers</comment>
        <translation>
            <numerusform>{n:,} respuesta</numerusform>
            <numerusform>{n:,} respuestas</numerusform>
        </translation>
    </message>
    <message>
        <source>No request was ever made.</source>
        <translation>Nunca se ha hecho ninguna petición.</translation>
    </message>
    <message>
        <source>The list was cleared. No request was made since.</source>
        <translation>La lista se ha vaciado. Desde entonces no se ha hecho ninguna petición.</translation>
    </message>
    <message>
        <source>Each one is written down here before it is sent. Nothing else is sent; nobody is told how you use this.</source>
        <translation>Cada una se anota aquí antes de enviarse. No se envía nada más; a nadie se le dice cómo usas esto.</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Ninguna</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Por qué</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Respuesta</translation>
    </message>
    <message>
        <source>Received</source>
        <translation>Recibido</translation>
    </message>
    <message>
        <source>Took</source>
        <translation>Tardó</translation>
    </message>
    <message>
        <source>{seconds:.1f} s</source>
        <translation>{seconds:.1f} s</translation>
    </message>
    <message>
        <source>Requests over the network</source>
        <translation>Peticiones por la red</translation>
    </message>
    <message>
        <source>Search requests</source>
        <translation>Buscar peticiones</translation>
    </message>
    <message>
        <source>Clear…</source>
        <translation>Vaciar…</translation>
    </message>
    <message>
        <source>Clear the list</source>
        <translation>Vaciar la lista</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} request copied</source>
        <comment>{n:,} requests copied</comment>
        <translation>
            <numerusform>{n:,} petición copiada</numerusform>
            <numerusform>{n:,} peticiones copiadas</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Clear {n:,} request from this list? This cannot be undone.</source>
        <comment>Clear {n:,} requests from this list? This cannot be undone.</comment>
        <translation>
            <numerusform>¿Vaciar la lista ({n:,} petición)? Esto no se puede deshacer.</numerusform>
            <numerusform>¿Vaciar la lista ({n:,} peticiones)? Esto no se puede deshacer.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} request</source>
        <comment>{n:,} requests</comment>
        <translation>
            <numerusform>{n:,} petición</numerusform>
            <numerusform>{n:,} peticiones</numerusform>
        </translation>
    </message>
    <message>
        <source>{shown:,} of {requests}</source>
        <translation>{shown:,} de {requests}</translation>
    </message>
    <message>
        <source>Every request</source>
        <translation>Todas las peticiones</translation>
    </message>
    <message>
        <source>Throw away…</source>
        <translation>Descartar…</translation>
    </message>
    <message>
        <source>Throw away</source>
        <translation>Descartar</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>Descargas</translation>
    </message>
    <message>
        <source>Libraries</source>
        <translation>Bibliotecas</translation>
    </message>
    <message>
        <source>Answers questions</source>
        <translation>Responde a preguntas</translation>
    </message>
    <message>
        <source>answers questions</source>
        <translation>responde a preguntas</translation>
    </message>
    <message>
        <source>Classifies</source>
        <translation>Clasifica</translation>
    </message>
    <message>
        <source>classifies</source>
        <translation>clasifica</translation>
    </message>
    <message>
        <source>Fills in words</source>
        <translation>Completa palabras</translation>
    </message>
    <message>
        <source>fills in words</source>
        <translation>completa palabras</translation>
    </message>
    <message>
        <source>Tells what follows</source>
        <translation>Dice si continúa</translation>
    </message>
    <message>
        <source>tells what follows</source>
        <translation>dice si continúa</translation>
    </message>
    <message>
        <source>finds names</source>
        <translation>encuentra nombres</translation>
    </message>
    <message>
        <source>finds passages by meaning</source>
        <translation>encuentra pasajes por su significado</translation>
    </message>
    <message>
        <source>exact</source>
        <translation>exacto</translation>
    </message>
    <message>
        <source>hidden word right</source>
        <translation>palabra oculta acertada</translation>
    </message>
    <message>
        <source>among its first five</source>
        <translation>entre sus cinco primeras</translation>
    </message>
    <message>
        <source>what follows right</source>
        <translation>continuación acertada</translation>
    </message>
    <message>
        <source>calibration error</source>
        <translation>error de calibración</translation>
    </message>
    <message>
        <source>{tokens:,} tokens at a time, about {words:,.0f} words</source>
        <translation>{tokens:,} tokens a la vez, unas {words:,.0f} palabras</translation>
    </message>
    <message>
        <source>{number:.1f} million</source>
        <translation>{number:.1f} millones</translation>
    </message>
    <message>
        <source>{number:,.0f} million</source>
        <translation>{number:,.0f} millones</translation>
    </message>
    <message>
        <source>{family}; parameters, and how each is stored</source>
        <translation>{family}; parámetros y cómo se guarda cada uno</translation>
    </message>
    <message>
        <source>As its authors state it</source>
        <translation>Según sus autores</translation>
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
        <translation>Tal como las da el modelo, nunca ajustadas a ejemplos: puede que esté demasiado seguro</translation>
    </message>
    <message>
        <source>{command} fits them</source>
        <translation>{command} las ajusta</translation>
    </message>
    <message>
        <source>{figure} {number:.0f}%</source>
        <translation>{figure} {number:.0f}&#xa0;%</translation>
    </message>
    <message>
        <source>comes with Spanlight</source>
        <translation>viene con Spanlight</translation>
    </message>
    <message>
        <source>Its folder was put here by hand</source>
        <translation>Su carpeta se puso aquí a mano</translation>
    </message>
    <message>
        <source>Added {moment}</source>
        <translation>Añadido: {moment}</translation>
    </message>
    <message>
        <source>Its files are in the Hugging Face cache</source>
        <translation>Sus archivos están en la caché de Hugging Face</translation>
    </message>
    <message>
        <source>Added {moment}; its files are in the Hugging Face cache</source>
        <translation>Añadido: {moment}; sus archivos están en la caché de Hugging Face</translation>
    </message>
    <message>
        <source>{repository}, commit {commit}</source>
        <translation>{repository}, commit {commit}</translation>
    </message>
    <message>
        <source>Taught on this computer {moment}</source>
        <translation>Enseñado en este ordenador: {moment}</translation>
    </message>
    <message>
        <source>Taught on this computer</source>
        <translation>Enseñado en este ordenador</translation>
    </message>
    <message>
        <source>The zip {path}</source>
        <translation>El zip {path}</translation>
    </message>
    <message>
        <source>The folder {path}; its files were left there</source>
        <translation>La carpeta {path}; sus archivos se dejaron allí</translation>
    </message>
    <message>
        <source>The folder {path}</source>
        <translation>La carpeta {path}</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>Como el sistema</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Claro</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Oscuro</translation>
    </message>
    <message>
        <source>Nothing moves by itself</source>
        <translation>Nada se mueve solo</translation>
    </message>
    <message>
        <source>Model that answers</source>
        <translation>Modelo que responde</translation>
    </message>
    <message>
        <source>Model that classifies</source>
        <translation>Modelo que clasifica</translation>
    </message>
    <message>
        <source>Model that fills in words</source>
        <translation>Modelo que completa palabras</translation>
    </message>
    <message>
        <source>Model that tells what follows</source>
        <translation>Modelo de frase siguiente</translation>
    </message>
    <message>
        <source>Model that finds names</source>
        <translation>Modelo que encuentra nombres</translation>
    </message>
    <message>
        <source>Model that searches libraries</source>
        <translation>Modelo que busca en bibliotecas</translation>
    </message>
    <message>
        <source>Likeliest passages</source>
        <translation>Pasajes más probables</translation>
    </message>
    <message>
        <source>Every passage</source>
        <translation>Todos los pasajes</translation>
    </message>
    <message>
        <source>Quickest</source>
        <translation>Lo más rápido</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Guardar</translation>
    </message>
    <message>
        <source>Do not keep</source>
        <translation>No guardar</translation>
    </message>
    <message>
        <source>Automatic: a GPU if there is one</source>
        <translation>Automático: una GPU, si la hay</translation>
    </message>
    <message>
        <source>{device} number {number}</source>
        <translation>{device} número {number}</translation>
    </message>
    <message>
        <source>{device}, in {precision}</source>
        <translation>{device}, a {precision}</translation>
    </message>
    <message>
        <source>Only when asked: for models, and for updates</source>
        <translation>Solo si lo pides: modelos y actualizaciones</translation>
    </message>
    <message>
        <source>{number:.0f} million weights.</source>
        <translation>{number:.0f} millones de pesos.</translation>
    </message>
    <message>
        <source>{model} (not installed)</source>
        <translation>{model} (no instalado)</translation>
    </message>
    <message>
        <source>None is installed</source>
        <translation>No hay ninguno instalado</translation>
    </message>
    <message>
        <source>Look</source>
        <translation>Aspecto</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>Tamaño del texto</translation>
    </message>
    <message>
        <source>Motion</source>
        <translation>Movimiento</translation>
    </message>
    <message>
        <source>What is read</source>
        <translation>Qué se lee</translation>
    </message>
    <message>
        <source>Models: This computer</source>
        <translation>Modelos: Este ordenador</translation>
    </message>
    <message>
        <source>Models: Network</source>
        <translation>Modelos: Red</translation>
    </message>
    <message>
        <source>About Spanlight</source>
        <translation>Acerca de Spanlight</translation>
    </message>
    <message>
        <source>Answers listed</source>
        <translation>Respuestas en la lista</translation>
    </message>
    <message>
        <source>Open the folder where things are kept</source>
        <translation>Abrir la carpeta donde se guarda todo</translation>
    </message>
    <message>
        <source>The language changes when Spanlight starts again.</source>
        <translation>El idioma cambia cuando Spanlight se reinicia.</translation>
    </message>
    <message>
        <source>Start again now</source>
        <translation>Reiniciar ahora</translation>
    </message>
    <message>
        <source>Folder: {path}</source>
        <translation>Carpeta: {path}</translation>
    </message>
    <message>
        <source>Of a long document. A quick reader finds the likeliest passages for the careful one; every passage takes longer, and the quickest way, by the quick reader alone, is wrong more often.</source>
        <translation>De un documento largo. Un lector rápido busca los pasajes más probables para el minucioso; leer todos los pasajes tarda más, y la forma más rápida, solo con el lector rápido, se equivoca más a menudo.</translation>
    </message>
    <message>
        <source>The best answer and the next best, for every question.</source>
        <translation>La mejor respuesta y las siguientes, para cada pregunta.</translation>
    </message>
    <message>
        <source>Questions with their answers, kept on this computer only.</source>
        <translation>Preguntas con sus respuestas, guardadas solo en este ordenador.</translation>
    </message>
    <message>
        <source>Kept in</source>
        <translation>Guardado en</translation>
    </message>
    <message>
        <source>Texts, drafts and answers stay here and never leave this computer.</source>
        <translation>Los textos, borradores y respuestas se quedan aquí y nunca salen de este ordenador.</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>Versión</translation>
    </message>
    <message>
        <source>No address is known yet where new versions are announced: write one here when you have it. Spanlight never looks by itself.</source>
        <translation>Todavía no se conoce ninguna dirección donde se anuncien versiones nuevas: escríbela aquí cuando la tengas. Spanlight nunca mira por su cuenta.</translation>
    </message>
    <message>
        <source>Asked only when you press the button; Spanlight never looks by itself.</source>
        <translation>Solo se pregunta cuando pulsas el botón; Spanlight nunca mira por su cuenta.</translation>
    </message>
    <message>
        <source>What is new</source>
        <translation>Novedades</translation>
    </message>
    <message>
        <source>Open its page</source>
        <translation>Abrir su página</translation>
    </message>
    <message>
        <source>Copy the address</source>
        <translation>Copiar la dirección</translation>
    </message>
    <message>
        <source>Copy the address of its page</source>
        <translation>Copiar la dirección de su página</translation>
    </message>
    <message>
        <source>Version {version} of {day} is there.</source>
        <translation>Ya está disponible la versión {version}, del {day}.</translation>
    </message>
    <message>
        <source>Open the page of version {version}</source>
        <translation>Abrir la página de la versión {version}</translation>
    </message>
    <message>
        <source>Spanlight {version} is the newest version.</source>
        <translation>Spanlight {version} es la versión más reciente.</translation>
    </message>
    <message>
        <source>For this computer: {file}, {size}</source>
        <translation>Para este ordenador: {file}, {size}</translation>
    </message>
    <message>
        <source>Where new versions are announced</source>
        <translation>Dónde se anuncian las versiones nuevas</translation>
    </message>
    <message>
        <source>No program opened the page.</source>
        <translation>Ningún programa ha abierto la página.</translation>
    </message>
    <message>
        <source>Its address can be copied instead.</source>
        <translation>En su lugar, se puede copiar la dirección.</translation>
    </message>
    <message>
        <source>Check now</source>
        <translation>Comprobar ahora</translation>
    </message>
    <message>
        <source>Check now for a newer version</source>
        <translation>Comprobar ahora si hay una versión más reciente</translation>
    </message>
    <message>
        <source>{remark} It is not used yet.</source>
        <translation>{remark} Aún no se usa.</translation>
    </message>
    <message>
        <source>Asking {host}…</source>
        <translation>Preguntando a {host}…</translation>
    </message>
    <message>
        <source>Questions</source>
        <translation>Preguntas</translation>
    </message>
    <message>
        <source>Answers: documents by questions</source>
        <translation>Respuestas: documentos por preguntas</translation>
    </message>
    <message>
        <source>This file has changed since its answers were read.</source>
        <translation>Este archivo ha cambiado desde que se leyeron sus respuestas.</translation>
    </message>
    <message>
        <source>These words are not on the page where they were read.</source>
        <translation>Estas palabras no están en la página donde se leyeron.</translation>
    </message>
    <message>
        <source>Select the right words in the document first, then press E.</source>
        <translation>Selecciona antes en el documento las palabras correctas y luego pulsa E.</translation>
    </message>
    <message>
        <source>The document beside the table</source>
        <translation>El documento junto a la tabla</translation>
    </message>
    <message>
        <source>Close the document</source>
        <translation>Cerrar el documento</translation>
    </message>
    <message>
        <source>Close  (Esc)</source>
        <translation>Cerrar  (Esc)</translation>
    </message>
    <message>
        <source>They will be read again at the library&apos;s next update.</source>
        <translation>Se volverán a leer en la próxima actualización de la biblioteca.</translation>
    </message>
    <message>
        <source>Not read yet</source>
        <translation>Aún sin leer</translation>
    </message>
    <message>
        <source>no text</source>
        <translation>sin texto</translation>
    </message>
    <message>
        <source>yes/no</source>
        <translation>sí/no</translation>
    </message>
    <message>
        <source>date</source>
        <translation>fecha</translation>
    </message>
    <message>
        <source>amount</source>
        <translation>importe</translation>
    </message>
    <message>
        <source>number</source>
        <translation>número</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>Leyendo…</translation>
    </message>
    <message>
        <source>Reading, {percent}</source>
        <translation>Leyendo, {percent}</translation>
    </message>
    <message>
        <source>Could not be read</source>
        <translation>No se ha podido leer</translation>
    </message>
    <message>
        <source>No text</source>
        <translation>Sin texto</translation>
    </message>
    <message>
        <source>The file has no text</source>
        <translation>El archivo no tiene texto</translation>
    </message>
    <message>
        <source>No answer in the part that was read</source>
        <translation>No hay respuesta en la parte leída</translation>
    </message>
    <message>
        <source>reader: no answer in the part that was read</source>
        <translation>lector: no hay respuesta en la parte leída</translation>
    </message>
    <message>
        <source>low confidence</source>
        <translation>poca seguridad</translation>
    </message>
    <message>
        <source>reader: not in the text</source>
        <translation>lector: no está en el texto</translation>
    </message>
    <message>
        <source>reader: {words}</source>
        <translation>lector: {words}</translation>
    </message>
    <message>
        <source>Not there</source>
        <translation>No está</translation>
    </message>
    <message>
        <source>yours</source>
        <translation>tuya</translation>
    </message>
    <message>
        <source>you said: right</source>
        <translation>dijiste: correcto</translation>
    </message>
    <message>
        <source>you said: not there</source>
        <translation>dijiste: no está</translation>
    </message>
    <message>
        <source>p. {label}</source>
        <translation>pág. {label}</translation>
    </message>
    <message>
        <source>p. {number:,}</source>
        <translation>pág. {number:,}</translation>
    </message>
    <message>
        <source>Documents of the table</source>
        <translation>Documentos de la tabla</translation>
    </message>
    <message>
        <source>Tick all</source>
        <translation>Marcar todos</translation>
    </message>
    <message>
        <source>All that are shown</source>
        <translation>Todos los mostrados</translation>
    </message>
    <message>
        <source>Tick none</source>
        <translation>Desmarcar todos</translation>
    </message>
    <message>
        <source>None of those that are shown</source>
        <translation>Ninguno de los mostrados</translation>
    </message>
    <message numerus="yes">
        <source>All {n:,} document, including any added later</source>
        <comment>All {n:,} documents, including any added later</comment>
        <translation>
            <numerusform>{n:,} documento, y los que se añadan después</numerusform>
            <numerusform>Los {n:,} documentos, y los que se añadan después</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{ticked:,} of {n:,} document</source>
        <comment>{ticked:,} of {n:,} documents</comment>
        <translation>
            <numerusform>{ticked:,} de {n:,} documento</numerusform>
            <numerusform>{ticked:,} de {n:,} documentos</numerusform>
        </translation>
    </message>
    <message>
        <source>Results (*.jsonl *.parquet);;All files (*)</source>
        <translation>Resultados (*.jsonl *.parquet);;Todos los archivos (*)</translation>
    </message>
    <message>
        <source>Export the table</source>
        <translation>Exportar la tabla</translation>
    </message>
    <message>
        <source>Open results</source>
        <translation>Abrir resultados</translation>
    </message>
    <message>
        <source>Opening {file}…</source>
        <translation>Abriendo {file}…</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} document opened so far</source>
        <comment>{n:,} documents opened so far</comment>
        <translation>
            <numerusform>{n:,} documento abierto hasta ahora</numerusform>
            <numerusform>{n:,} documentos abiertos hasta ahora</numerusform>
        </translation>
    </message>
    <message>
        <source>The list that the questions came from</source>
        <translation>La lista de la que salieron las preguntas</translation>
    </message>
    <message>
        <source>{list} answered</source>
        <translation>{list} con respuestas</translation>
    </message>
    <message>
        <source>The list with its answers (*{suffix})</source>
        <translation>La lista con sus respuestas (*{suffix})</translation>
    </message>
    <message>
        <source>The list with its answers</source>
        <translation>La lista con sus respuestas</translation>
    </message>
    <message>
        <source>Exported to {file}</source>
        <translation>Exportado a {file}</translation>
    </message>
    <message>
        <source>Filling {table}</source>
        <translation>Rellenando {table}</translation>
    </message>
    <message>
        <source>the filling of the table</source>
        <translation>el relleno de la tabla</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Todos</translation>
    </message>
    <message>
        <source>Every document</source>
        <translation>Todos los documentos</translation>
    </message>
    <message>
        <source>Low confidence</source>
        <translation>Poca seguridad</translation>
    </message>
    <message>
        <source>Words that may or may not be the answer</source>
        <translation>Palabras que pueden ser la respuesta o no</translation>
    </message>
    <message>
        <source>Not looked at</source>
        <translation>Sin revisar</translation>
    </message>
    <message>
        <source>Answers without a verdict of yours</source>
        <translation>Respuestas sin un veredicto tuyo</translation>
    </message>
    <message>
        <source>Unsure first</source>
        <translation>Dudosas primero</translation>
    </message>
    <message>
        <source>Answers without a verdict, the least sure first</source>
        <translation>Respuestas sin veredicto, primero las menos seguras</translation>
    </message>
    <message>
        <source>Questions that a document does not answer</source>
        <translation>Preguntas a las que un documento no responde</translation>
    </message>
    <message>
        <source>Disagreeing</source>
        <translation>En desacuerdo</translation>
    </message>
    <message>
        <source>Answers that you said are wrong</source>
        <translation>Respuestas que has marcado como erróneas</translation>
    </message>
    <message>
        <source>Not read whole</source>
        <translation>No leído entero</translation>
    </message>
    <message>
        <source>Files that could not be read, and questions without an answer in the part that was</source>
        <translation>Archivos que no se han podido leer y preguntas sin respuesta en la parte leída</translation>
    </message>
    <message>
        <source>Open results…</source>
        <translation>Abrir resultados…</translation>
    </message>
    <message>
        <source>Choose the documents of this table</source>
        <translation>Elegir los documentos de esta tabla</translation>
    </message>
    <message>
        <source>Cells that were read</source>
        <translation>Celdas leídas</translation>
    </message>
    <message>
        <source>Fill</source>
        <translation>Rellenar</translation>
    </message>
    <message>
        <source>Back into the loaded list…</source>
        <translation>Volcar en la lista cargada…</translation>
    </message>
    <message>
        <source>Add a question</source>
        <translation>Añadir una pregunta</translation>
    </message>
    <message>
        <source>Add a question  (Ctrl+L)</source>
        <translation>Añadir una pregunta  (Ctrl+L)</translation>
    </message>
    <message>
        <source>How many of the answers that you checked were right. In brackets: the share of right answers to expect in the whole table, with 95% confidence.</source>
        <translation>Cuántas de las respuestas que has revisado eran correctas. Entre paréntesis: la proporción de respuestas correctas que cabe esperar en toda la tabla, con un 95&#xa0;% de confianza.</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabla</translation>
    </message>
    <message>
        <source>Table: {name}</source>
        <translation>Tabla: {name}</translation>
    </message>
    <message>
        <source>{name}: rename it, or choose another table</source>
        <translation>{name}: renombrar o elegir otra tabla</translation>
    </message>
    <message>
        <source>New table…</source>
        <translation>Tabla nueva…</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>Renombrar…</translation>
    </message>
    <message>
        <source>Choose documents…</source>
        <translation>Elegir documentos…</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} document chosen</source>
        <comment>{n:,} documents chosen</comment>
        <translation>
            <numerusform>{n:,} documento elegido</numerusform>
            <numerusform>{n:,} documentos elegidos</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{there:,} of {n:,} document chosen</source>
        <comment>{there:,} of {n:,} documents chosen</comment>
        <translation>
            <numerusform>{there:,} de {n:,} documento elegido</numerusform>
            <numerusform>{there:,} de {n:,} documentos elegidos</numerusform>
        </translation>
    </message>
    <message>
        <source>continues after other work</source>
        <translation>sigue tras otras tareas</translation>
    </message>
    <message>
        <source>Stop reading for now; what was read stays</source>
        <translation>Dejar de leer por ahora; lo leído se conserva</translation>
    </message>
    <message>
        <source>Read what is not read yet</source>
        <translation>Leer lo que aún no se ha leído</translation>
    </message>
    <message>
        <source>Its library was removed; what was read stays.</source>
        <translation>Su biblioteca se ha quitado; lo leído se conserva.</translation>
    </message>
    <message>
        <source>Type a question, or paste several, one a line</source>
        <translation>Escribe una pregunta o pega varias, una por línea</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Añadir</translation>
    </message>
    <message>
        <source>Another wording is another question: its answers are read anew.</source>
        <translation>Con otras palabras es otra pregunta: sus respuestas se leen de nuevo.</translation>
    </message>
    <message>
        <source>The table’s name</source>
        <translation>El nombre de la tabla</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Renombrar</translation>
    </message>
    <message>
        <source>These questions are kept under a name, for other libraries.</source>
        <translation>Estas preguntas se guardan con un nombre, para otras bibliotecas.</translation>
    </message>
    <message>
        <source>A name for these questions</source>
        <translation>Un nombre para estas preguntas</translation>
    </message>
    <message>
        <source>Load a list…</source>
        <translation>Cargar una lista…</translation>
    </message>
    <message>
        <source>Questions from a CSV, an Excel workbook or a text, one a line</source>
        <translation>Preguntas de un CSV, un libro de Excel o un texto, una por línea</translation>
    </message>
    <message>
        <source>Sets of questions</source>
        <translation>Conjuntos de preguntas</translation>
    </message>
    <message>
        <source>Close this line</source>
        <translation>Cerrar esta línea</translation>
    </message>
    <message>
        <source>Save these questions as a set…</source>
        <translation>Guardar estas preguntas como conjunto…</translation>
    </message>
    <message>
        <source>Remove a set</source>
        <translation>Quitar un conjunto</translation>
    </message>
    <message>
        <source>Lists of questions (*.csv *.tsv *.xlsx *.txt *.md);;All files (*)</source>
        <translation>Listas de preguntas (*.csv *.tsv *.xlsx *.txt *.md);;Todos los archivos (*)</translation>
    </message>
    <message>
        <source>Sort, smallest first</source>
        <translation>Ordenar de menor a mayor</translation>
    </message>
    <message>
        <source>Sort, largest first</source>
        <translation>Ordenar de mayor a menor</translation>
    </message>
    <message>
        <source>Sort by document</source>
        <translation>Ordenar por documento</translation>
    </message>
    <message>
        <source>The answers are</source>
        <translation>Tipo de respuesta</translation>
    </message>
    <message>
        <source>Change the question…</source>
        <translation>Cambiar la pregunta…</translation>
    </message>
    <message>
        <source>Move to the left</source>
        <translation>Mover a la izquierda</translation>
    </message>
    <message>
        <source>Move to the right</source>
        <translation>Mover a la derecha</translation>
    </message>
    <message>
        <source>Remove the question</source>
        <translation>Quitar la pregunta</translation>
    </message>
    <message>
        <source>“{question}” removed</source>
        <translation>«{question}» quitada</translation>
    </message>
    <message>
        <source>Set “{name}” replaced</source>
        <translation>Conjunto «{name}» sustituido</translation>
    </message>
    <message>
        <source>The questions are saved as a set</source>
        <translation>Las preguntas se han guardado como conjunto</translation>
    </message>
    <message>
        <source>Set “{name}” removed</source>
        <translation>Conjunto «{name}» quitado</translation>
    </message>
    <message>
        <source>A list of questions</source>
        <translation>Una lista de preguntas</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} question loaded</source>
        <comment>{n:,} questions loaded</comment>
        <translation>
            <numerusform>{n:,} pregunta cargada</numerusform>
            <numerusform>{n:,} preguntas cargadas</numerusform>
        </translation>
    </message>
    <message>
        <source>Checked {looked_at:,}: {right:,} right ({low} to {high}%)</source>
        <translation>Revisadas {looked_at:,}: {right:,} correctas ({low} a {high}&#xa0;%)</translation>
    </message>
    <message>
        <source>Open the document beside the table</source>
        <translation>Abrir el documento junto a la tabla</translation>
    </message>
    <message>
        <source>Take the words selected in the document instead</source>
        <translation>Usar en su lugar las palabras seleccionadas en el documento</translation>
    </message>
    <message>
        <source>The document does not answer</source>
        <translation>El documento no responde</translation>
    </message>
    <message>
        <source>Undo the last of these</source>
        <translation>Deshacer lo último de esto</translation>
    </message>
    <message>
        <source>The next cell that the filter looks for</source>
        <translation>La siguiente celda que busca el filtro</translation>
    </message>
    <message>
        <source>Add questions</source>
        <translation>Añadir preguntas</translation>
    </message>
    <message>
        <source>Change the question</source>
        <translation>Cambiar la pregunta</translation>
    </message>
    <message>
        <source>Move the question to the left</source>
        <translation>Mover la pregunta a la izquierda</translation>
    </message>
    <message>
        <source>Move the question to the right</source>
        <translation>Mover la pregunta a la derecha</translation>
    </message>
    <message>
        <source>Copy the selected answers</source>
        <translation>Copiar las respuestas seleccionadas</translation>
    </message>
    <message>
        <source>Find in the document beside the table</source>
        <translation>Buscar en el documento junto a la tabla</translation>
    </message>
    <message>
        <source>Larger, smaller, usual size of the document</source>
        <translation>Documento más grande, más pequeño, tamaño normal</translation>
    </message>
    <message>
        <source>Drop a folder to make a table over it, or a list of questions: CSV, Excel or a text.</source>
        <translation>Suelta una carpeta para crear una tabla con ella, o una lista de preguntas: CSV, Excel o un texto.</translation>
    </message>
    <message>
        <source>Single documents are opened on the page Ask.</source>
        <translation>Los documentos sueltos se abren en la página Preguntar.</translation>
    </message>
    <message>
        <source>{model} is used for Ask and tables now</source>
        <translation>{model} se usa ahora en «Preguntar» y en las tablas</translation>
    </message>
    <message>
        <source>No questions yet</source>
        <translation>Todavía no hay preguntas</translation>
    </message>
    <message>
        <source>Type one above, paste several, or load a list. Each becomes a column.</source>
        <translation>Escribe una arriba, pega varias o carga una lista. Cada una será una columna.</translation>
    </message>
    <message>
        <source>Begin with four questions to try</source>
        <translation>Empezar con cuatro preguntas de prueba</translation>
    </message>
    <message>
        <source>No documents yet</source>
        <translation>Todavía no hay documentos</translation>
    </message>
    <message>
        <source>The library’s files appear here as they are read.</source>
        <translation>Los archivos de la biblioteca aparecen aquí a medida que se leen.</translation>
    </message>
    <message>
        <source>Nothing of this kind</source>
        <translation>Nada de este tipo</translation>
    </message>
    <message>
        <source>No cell of the table is like that now.</source>
        <translation>Ninguna celda de la tabla es así ahora.</translation>
    </message>
    <message numerus="yes">
        <source>Remove the table “{name}” with its {n:,} answer for good? No document is touched.</source>
        <comment>Remove the table “{name}” with its {n:,} answers for good? No document is touched.</comment>
        <translation>
            <numerusform>¿Quitar para siempre la tabla «{name}» con su respuesta? No se toca ningún documento.</numerusform>
            <numerusform>¿Quitar para siempre la tabla «{name}» con sus {n:,} respuestas? No se toca ningún documento.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} answer opened</source>
        <comment>{n:,} answers opened</comment>
        <translation>
            <numerusform>{n:,} respuesta abierta</numerusform>
            <numerusform>{n:,} respuestas abiertas</numerusform>
        </translation>
    </message>
    <message>
        <source>A folder for the table</source>
        <translation>Una carpeta para la tabla</translation>
    </message>
    <message>
        <source>There is nothing to undo</source>
        <translation>No hay nada que deshacer</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} cell read</source>
        <comment>{n:,} cells read</comment>
        <translation>
            <numerusform>{n:,} celda leída</numerusform>
            <numerusform>{n:,} celdas leídas</numerusform>
        </translation>
    </message>
    <message>
        <source>A row for each document of a folder, a column for each question, and in every cell the exact words that answer, with their page. It fills by itself, and only what is new or changed is read again.</source>
        <translation>Una fila por cada documento de una carpeta, una columna por cada pregunta y, en cada celda, las palabras exactas que responden, con su página. Se rellena sola, y solo se vuelve a leer lo nuevo o lo cambiado.</translation>
    </message>
    <message>
        <source>A table that was exported as JSON Lines, or what a cluster has read</source>
        <translation>Una tabla exportada como JSON Lines, o lo que ha leído un clúster</translation>
    </message>
    <message>
        <source>Or drop a folder here. Spanlight reads PDF, Word, spreadsheets, slides, books, mails, web pages and text.</source>
        <translation>O suelta aquí una carpeta. Spanlight lee PDF, Word, hojas de cálculo, diapositivas, libros, correos, páginas web y texto.</translation>
    </message>
    <message>
        <source>A table of answers</source>
        <translation>Una tabla de respuestas</translation>
    </message>
    <message>
        <source>Over which documents?</source>
        <translation>¿Con qué documentos?</translation>
    </message>
    <message>
        <source>A folder with its subfolders; nothing is copied</source>
        <translation>Una carpeta con sus subcarpetas; no se copia nada</translation>
    </message>
    <message numerus="yes">
        <source>Begin with your {n:,} question</source>
        <comment>Begin with your {n:,} questions</comment>
        <translation>
            <numerusform>Empezar con {n:,} pregunta tuya</numerusform>
            <numerusform>Empezar con tus {n:,} preguntas</numerusform>
        </translation>
    </message>
    <message>
        <source>The open documents</source>
        <translation>Los documentos abiertos</translation>
    </message>
    <message>
        <source>A table over {library}, {read}</source>
        <translation>Una tabla con {library}, {read}</translation>
    </message>
    <message>
        <source>This takes some minutes, behind all other work. The reader in use is not changed.</source>
        <translation>Tarda unos minutos, por detrás de cualquier otro trabajo. El lector en uso no cambia.</translation>
    </message>
    <message>
        <source>You can keep working as usual. What is learnt is kept, even if you close Spanlight.</source>
        <translation>Puedes seguir trabajando como siempre. Lo aprendido se conserva, aunque cierres Spanlight.</translation>
    </message>
    <message>
        <source>Discard…</source>
        <translation>Descartar…</translation>
    </message>
    <message>
        <source>Delete what was learnt</source>
        <translation>Eliminar lo aprendido</translation>
    </message>
    <message>
        <source>Stop and discard…</source>
        <translation>Parar y descartar…</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Descartar</translation>
    </message>
    <message>
        <source>No reader is installed</source>
        <translation>No hay ningún lector instalado</translation>
    </message>
    <message>
        <source>Reader in use</source>
        <translation>Lector en uso</translation>
    </message>
    <message>
        <source>Reader being taught</source>
        <translation>Lector que está aprendiendo</translation>
    </message>
    <message>
        <source>Go on teaching</source>
        <translation>Seguir enseñando</translation>
    </message>
    <message numerus="yes">
        <source>Teach the reader from {n:,} correction</source>
        <comment>Teach the reader from {n:,} corrections</comment>
        <translation>
            <numerusform>Enseñar al lector con {n:,} corrección</numerusform>
            <numerusform>Enseñar al lector con {n:,} correcciones</numerusform>
        </translation>
    </message>
    <message>
        <source>It takes at least {fewest} corrections: {lacking} more.</source>
        <translation>Hacen falta al menos {fewest} correcciones: faltan {lacking}.</translation>
    </message>
    <message>
        <source>Discard what was learnt so far?</source>
        <translation>¿Descartar lo aprendido hasta ahora?</translation>
    </message>
    <message numerus="yes">
        <source>Begun {day} with {n:,} correction.</source>
        <comment>Begun {day} with {n:,} corrections.</comment>
        <translation>
            <numerusform>Inicio: {day}, con {n:,} corrección.</numerusform>
            <numerusform>Inicio: {day}, con {n:,} correcciones.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Begun on {day} with {n:,} correction.</source>
        <comment>Begun on {day} with {n:,} corrections.</comment>
        <translation>
            <numerusform>Inicio: {day}, con {n:,} corrección.</numerusform>
            <numerusform>Inicio: {day}, con {n:,} correcciones.</numerusform>
        </translation>
    </message>
    <message>
        <source>Step {step:,} of {steps:,} is kept.</source>
        <translation>Está guardado el paso {step:,} de {steps:,}.</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>Antes</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>Ahora</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>Usarlo</translation>
    </message>
    <message>
        <source>Keep the old one</source>
        <translation>Conservar el antiguo</translation>
    </message>
    <message>
        <source>The new reader is better</source>
        <translation>El nuevo lector es mejor</translation>
    </message>
    <message>
        <source>The new reader is not better</source>
        <translation>El nuevo lector no es mejor</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} correction, exactly right</source>
        <comment>{n:,} corrections, exactly right</comment>
        <translation>
            <numerusform>{n:,} corrección, acierto exacto</numerusform>
            <numerusform>{n:,} correcciones, acierto exacto</numerusform>
        </translation>
    </message>
    <message>
        <source>Corrections that it has not learnt from, with exactly the right words</source>
        <translation>Correcciones de las que no ha aprendido, con exactamente las palabras correctas</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} correction, F1</source>
        <comment>{n:,} corrections, F1</comment>
        <translation>
            <numerusform>{n:,} corrección, F1</numerusform>
            <numerusform>{n:,} correcciones, F1</numerusform>
        </translation>
    </message>
    <message>
        <source>{number:.1f}%</source>
        <translation>{number:.1f}&#xa0;%</translation>
    </message>
    <message>
        <source>How much its words share with the right ones</source>
        <translation>Cuánto coinciden sus palabras con las correctas</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} other, F1</source>
        <comment>{n:,} others, F1</comment>
        <translation>
            <numerusform>Otra pregunta, F1</numerusform>
            <numerusform>Otras {n:,} preguntas, F1</numerusform>
        </translation>
    </message>
    <message>
        <source>Questions like those that the reader was made from</source>
        <translation>Preguntas como las que sirvieron para hacer el lector</translation>
    </message>
    <message>
        <source>Its probabilities, off by</source>
        <translation>Error de sus probabilidades</translation>
    </message>
    <message>
        <source>Expected calibration error on those questions</source>
        <translation>Error de calibración esperado en esas preguntas</translation>
    </message>
    <message>
        <source>{name}: {before} before, {after} now</source>
        <translation>{name}: {before} antes, {after} ahora</translation>
    </message>
    <message numerus="yes">
        <source>On {n:,} correction that it has not learnt, its words fit better: F1 rose by {points}.</source>
        <comment>On {n:,} corrections that it has not learnt, its words fit better: F1 rose by {points}.</comment>
        <translation>
            <numerusform>En {n:,} corrección que no ha aprendido, sus palabras encajan mejor: F1 ha subido {points}.</numerusform>
            <numerusform>En {n:,} correcciones que no ha aprendido, sus palabras encajan mejor: F1 ha subido {points}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>On {n:,} correction that it has not learnt, its words fit worse: F1 fell by {points}.</source>
        <comment>On {n:,} corrections that it has not learnt, its words fit worse: F1 fell by {points}.</comment>
        <translation>
            <numerusform>En {n:,} corrección que no ha aprendido, sus palabras encajan peor: F1 ha bajado {points}.</numerusform>
            <numerusform>En {n:,} correcciones que no ha aprendido, sus palabras encajan peor: F1 ha bajado {points}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>On {n:,} correction that it has not learnt, its words fit as well as before.</source>
        <comment>On {n:,} corrections that it has not learnt, its words fit as well as before.</comment>
        <translation>
            <numerusform>En {n:,} corrección que no ha aprendido, sus palabras encajan tan bien como antes.</numerusform>
            <numerusform>En {n:,} correcciones que no ha aprendido, sus palabras encajan tan bien como antes.</numerusform>
        </translation>
    </message>
    <message>
        <source>Of what it knew before it lost {points}, which is too much.</source>
        <translation>De lo que sabía antes ha perdido {points}, y es demasiado.</translation>
    </message>
    <message>
        <source>Of what it knew before it lost {points}.</source>
        <translation>De lo que sabía antes ha perdido {points}.</translation>
    </message>
    <message>
        <source>It still knows what it knew before.</source>
        <translation>Sigue sabiendo lo que sabía antes.</translation>
    </message>
    <message>
        <source>With so few, chance decides much: more corrections tell more.</source>
        <translation>Con tan pocas decide mucho el azar: más correcciones dirían más.</translation>
    </message>
    <message numerus="yes">
        <source>{n} point</source>
        <comment>{n} points</comment>
        <translation>
            <numerusform>{n} punto</numerusform>
            <numerusform>{n} puntos</numerusform>
        </translation>
    </message>
    <message>
        <source>{number:.1f} points</source>
        <translation>{number:.1f} puntos</translation>
    </message>
    <message>
        <source>Versions of the reader</source>
        <translation>Versiones del lector</translation>
    </message>
    <message>
        <source>Copy it into a folder, which opens in transformers</source>
        <translation>Copiarlo a una carpeta que se abre con transformers</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>Eliminar…</translation>
    </message>
    <message>
        <source>Delete this version  (Del)</source>
        <translation>Eliminar esta versión  (Supr)</translation>
    </message>
    <message>
        <source>Delete it</source>
        <translation>Eliminarlo</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} correction · F1 {before:.0f} → {after:.0f}%</source>
        <comment>{n:,} corrections · F1 {before:.0f} → {after:.0f}%</comment>
        <translation>
            <numerusform>{n:,} corrección · F1 {before:.0f} → {after:.0f}&#xa0;%</numerusform>
            <numerusform>{n:,} correcciones · F1 {before:.0f} → {after:.0f}&#xa0;%</numerusform>
        </translation>
    </message>
    <message>
        <source>In use</source>
        <translation>En uso</translation>
    </message>
    <message>
        <source>As it was before teaching</source>
        <translation>Como era antes de la enseñanza</translation>
    </message>
    <message>
        <source>Comes with Spanlight</source>
        <translation>Viene con Spanlight</translation>
    </message>
    <message>
        <source>Delete “{name}” for good?</source>
        <translation>¿Eliminar «{name}» para siempre?</translation>
    </message>
    <message>
        <source>The reader was right</source>
        <translation>El lector acertó</translation>
    </message>
    <message>
        <source>The reader said, with low confidence, “{words}”</source>
        <translation>El lector dijo, con poca seguridad, «{words}»</translation>
    </message>
    <message>
        <source>The reader gave no answer</source>
        <translation>El lector no dio respuesta</translation>
    </message>
    <message>
        <source>The reader said “{words}”</source>
        <translation>El lector dijo «{words}»</translation>
    </message>
    <message>
        <source>Corrections</source>
        <translation>Correcciones</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Pérdida</translation>
    </message>
    <message>
        <source>F1 on held-out corrections</source>
        <translation>F1 en correcciones reservadas</translation>
    </message>
    <message>
        <source>Curves of teaching</source>
        <translation>Curvas de la enseñanza</translation>
    </message>
    <message>
        <source>Step {step:,} of {steps:,}: loss {loss}</source>
        <translation>Paso {step:,} de {steps:,}: pérdida {loss}</translation>
    </message>
    <message>
        <source>Step {step:,} of {steps:,}: loss {loss}, F1 {f1:.1f}%</source>
        <translation>Paso {step:,} de {steps:,}: pérdida {loss}, F1 {f1:.1f}&#xa0;%</translation>
    </message>
    <message>
        <source>Step {step:,} of {steps:,}</source>
        <translation>Paso {step:,} de {steps:,}</translation>
    </message>
    <message>
        <source>{number:,} labelled</source>
        <translation>{number:,} con esta etiqueta</translation>
    </message>
    <message>
        <source>guessed {percent}</source>
        <translation>propuesta: {percent}</translation>
    </message>
    <message>
        <source>Text to label</source>
        <translation>Texto por etiquetar</translation>
    </message>
    <message>
        <source>In the table’s order</source>
        <translation>En el orden de la tabla</translation>
    </message>
    <message>
        <source>Otherwise the most useful text comes next: unsure, and unlike those labelled</source>
        <translation>Si no, viene primero el texto más útil: dudoso y distinto de los etiquetados</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>Saltar</translation>
    </message>
    <message>
        <source>Another text first  (Space)</source>
        <translation>Antes otro texto  (Espacio)</translation>
    </message>
    <message>
        <source>Take the last label back  (U, Ctrl+Z)</source>
        <translation>Retirar la última etiqueta  (U, Ctrl+Z)</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Rehacer</translation>
    </message>
    <message>
        <source>Do it again  (Ctrl+Y)</source>
        <translation>Volver a hacerlo  (Ctrl+Y)</translation>
    </message>
    <message>
        <source>None of them applies  (0)</source>
        <translation>No corresponde ninguna  (0)</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Siguiente</translation>
    </message>
    <message>
        <source>Give the chosen labels  (Enter)</source>
        <translation>Poner las etiquetas seleccionadas  (Enter)</translation>
    </message>
    <message>
        <source>Text {number:,}</source>
        <translation>Texto {number:,}</translation>
    </message>
    <message>
        <source>Which label fits?</source>
        <translation>¿Qué etiqueta corresponde?</translation>
    </message>
    <message>
        <source>The classifier was taught, but measuring it was stopped.</source>
        <translation>El clasificador ha aprendido, pero su medición se paró.</translation>
    </message>
    <message>
        <source>Parts of your texts are held out in turn, and predicted by a classifier that has not seen them.</source>
        <translation>Partes de tus textos se reservan por turnos, y las predice un clasificador que no las ha visto.</translation>
    </message>
    <message>
        <source>Once every label has {enough} examples a classifier is taught, and measured on texts that it has not seen.</source>
        <translation>Cuando cada etiqueta tiene {enough} ejemplos, se enseña a un clasificador y se mide con textos que no ha visto.</translation>
    </message>
    <message>
        <source>Figures of each label</source>
        <translation>Cifras de cada etiqueta</translation>
    </message>
    <message>
        <source>Given and predicted labels</source>
        <translation>Etiquetas puestas y predichas</translation>
    </message>
    <message>
        <source>Labels that the classifier doubts</source>
        <translation>Etiquetas de las que duda el clasificador</translation>
    </message>
    <message>
        <source>Measure it</source>
        <translation>Medirlo</translation>
    </message>
    <message>
        <source>Measure the classifier on texts held out</source>
        <translation>Medir el clasificador con textos reservados</translation>
    </message>
    <message>
        <source>Each label</source>
        <translation>Cada etiqueta</translation>
    </message>
    <message>
        <source>Given and predicted</source>
        <translation>Puestas y predichas</translation>
    </message>
    <message>
        <source>A row for each label of yours; a double click shows its texts.</source>
        <translation>Una fila por cada etiqueta tuya; un doble clic muestra sus textos.</translation>
    </message>
    <message>
        <source>Perhaps mislabelled</source>
        <translation>Quizá mal etiquetados</translation>
    </message>
    <message>
        <source>Texts whose label the classifier doubts, without having learnt it.</source>
        <translation>Textos de cuya etiqueta duda el clasificador, sin haberla aprendido.</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} text labelled in two ways</source>
        <comment>{n:,} texts labelled in two ways</comment>
        <translation>
            <numerusform>{n:,} texto etiquetado de dos formas</numerusform>
            <numerusform>{n:,} textos etiquetados de dos formas</numerusform>
        </translation>
    </message>
    <message>
        <source>Being measured</source>
        <translation>Midiendo</translation>
    </message>
    <message>
        <source>Not measured yet</source>
        <translation>Aún sin medir</translation>
    </message>
    <message>
        <source>{percent} right</source>
        <translation>{percent} de aciertos</translation>
    </message>
    <message>
        <source>Labelled {label}</source>
        <translation>Etiquetados como {label}</translation>
    </message>
    <message>
        <source>{label}, predicted {predicted}</source>
        <translation>{label}, predicho como {predicted}</translation>
    </message>
    <message>
        <source>Labelled in two ways</source>
        <translation>Etiquetados de dos formas</translation>
    </message>
    <message>
        <source>Texts</source>
        <translation>Textos</translation>
    </message>
    <message>
        <source>Found</source>
        <translation>Encontrados</translation>
    </message>
    <message>
        <source>{low} to {high}</source>
        <translation>{low} a {high}</translation>
    </message>
    <message>
        <source>Of the texts with this label, how many were given it (recall)</source>
        <translation>De los textos con esta etiqueta, cuántos la recibieron (exhaustividad)</translation>
    </message>
    <message>
        <source>Of the texts that were given this label, how many have it (precision)</source>
        <translation>De los textos que recibieron esta etiqueta, cuántos la tienen (precisión)</translation>
    </message>
    <message>
        <source>{number:.2f}</source>
        <translation>{number:.2f}</translation>
    </message>
    <message>
        <source>Your label</source>
        <translation>Tu etiqueta</translation>
    </message>
    <message>
        <source>Rather</source>
        <translation>Más bien</translation>
    </message>
    <message>
        <source>Sure</source>
        <translation>Seguridad</translation>
    </message>
    <message numerus="yes">
        <source>Between {low} and {high} with 95% confidence: {n:,} text of yours, each predicted by a classifier that had not seen it.</source>
        <comment>Between {low} and {high} with 95% confidence: {n:,} texts of yours, each predicted by a classifier that had not seen it.</comment>
        <translation>
            <numerusform>Entre {low} y {high} con un 95&#xa0;% de confianza: {n:,} texto tuyo, predicho por un clasificador que no lo había visto.</numerusform>
            <numerusform>Entre {low} y {high} con un 95&#xa0;% de confianza: {n:,} textos tuyos, cada uno predicho por un clasificador que no lo había visto.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{more} more examples would bring about {n} point.</source>
        <comment>{more} more examples would bring about {n} points.</comment>
        <translation>
            <numerusform>{more} ejemplos más darían más o menos {n} punto.</numerusform>
            <numerusform>{more} ejemplos más darían unos {n} puntos.</numerusform>
        </translation>
    </message>
    <message>
        <source>You gave the guessed label {same:,} of {all:,} times (unsure texts come first).</source>
        <translation>Has puesto la etiqueta propuesta {same:,} de {all:,} veces (los textos dudosos van primero).</translation>
    </message>
    <message>
        <source>You gave the guessed label {same:,} of {all:,} times (unsure texts come first), and {same_hidden:,} of {all_hidden:,} times where the guess was hidden.</source>
        <translation>Has puesto la etiqueta propuesta {same:,} de {all:,} veces (los textos dudosos van primero), y {same_hidden:,} de {all_hidden:,} veces cuando la propuesta estaba oculta.</translation>
    </message>
    <message>
        <source>Labels…</source>
        <translation>Etiquetas…</translation>
    </message>
    <message>
        <source>Use it on the page Classify</source>
        <translation>Usarlo en la página Clasificar</translation>
    </message>
    <message>
        <source>Teach</source>
        <translation>Enseñar</translation>
    </message>
    <message>
        <source>Teach a classifier from what is labelled</source>
        <translation>Enseñar a un clasificador con lo etiquetado</translation>
    </message>
    <message>
        <source>All texts</source>
        <translation>Todos los textos</translation>
    </message>
    <message>
        <source>How good is it?</source>
        <translation>¿Qué tal funciona?</translation>
    </message>
    <message>
        <source>Labelling</source>
        <translation>Etiquetar</translation>
    </message>
    <message>
        <source>Labels: {name}</source>
        <translation>Etiquetas: {name}</translation>
    </message>
    <message>
        <source>none of them</source>
        <translation>ninguna de ellas</translation>
    </message>
    <message>
        <source>Tables (*.csv *.tsv *.xlsx *.jsonl *.xz *.txt);;All files (*)</source>
        <translation>Tablas (*.csv *.tsv *.xlsx *.jsonl *.xz *.txt);;Todos los archivos (*)</translation>
    </message>
    <message>
        <source>Labels</source>
        <translation>Etiquetas</translation>
    </message>
    <message>
        <source>Give the text, or the chosen ones, this label</source>
        <translation>Poner esta etiqueta al texto o a los seleccionados</translation>
    </message>
    <message>
        <source>Another text first</source>
        <translation>Antes otro texto</translation>
    </message>
    <message>
        <source>Take the last label back</source>
        <translation>Retirar la última etiqueta</translation>
    </message>
    <message>
        <source>Give it again</source>
        <translation>Volver a ponerla</translation>
    </message>
    <message>
        <source>Take the label of the text back</source>
        <translation>Retirar la etiqueta del texto</translation>
    </message>
    <message>
        <source>Several labels: give the chosen ones; in the table: open the text</source>
        <translation>Varias etiquetas: poner las seleccionadas; en la tabla: abrir el texto</translation>
    </message>
    <message>
        <source>Search the texts</source>
        <translation>Buscar en los textos</translation>
    </message>
    <message>
        <source>Open a table</source>
        <translation>Abrir una tabla</translation>
    </message>
    <message>
        <source>Stop teaching</source>
        <translation>Parar la enseñanza</translation>
    </message>
    <message>
        <source>Save the labels</source>
        <translation>Guardar las etiquetas</translation>
    </message>
    <message>
        <source>Go back</source>
        <translation>Volver</translation>
    </message>
    <message>
        <source>Open a table of texts</source>
        <translation>Abrir una tabla de textos</translation>
    </message>
    <message numerus="yes">
        <source>This takes a label from {n:,} text.</source>
        <comment>This takes a label from {n:,} texts.</comment>
        <translation>
            <numerusform>Esto quita una etiqueta a {n:,} texto.</numerusform>
            <numerusform>Esto quita una etiqueta a {n:,} textos.</numerusform>
        </translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Nombre</translation>
    </message>
    <message>
        <source>The page Classify now uses {model}</source>
        <translation>La página Clasificar usa ahora {model}</translation>
    </message>
    <message numerus="yes">
        <source>Remove “{name}” with {n:,} label of yours? Its classifier stays.</source>
        <comment>Remove “{name}” with {n:,} labels of yours? Its classifier stays.</comment>
        <translation>
            <numerusform>¿Quitar «{name}» con {n:,} etiqueta tuya? Su clasificador se conserva.</numerusform>
            <numerusform>¿Quitar «{name}» con {n:,} etiquetas tuyas? Su clasificador se conserva.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} text labelled {label}; Ctrl+Z takes it back</source>
        <comment>{n:,} texts labelled {label}; Ctrl+Z takes it back</comment>
        <translation>
            <numerusform>{n:,} texto etiquetado como {label}; Ctrl+Z lo deshace</numerusform>
            <numerusform>{n:,} textos etiquetados como {label}; Ctrl+Z lo deshace</numerusform>
        </translation>
    </message>
    <message>
        <source>There is nothing to redo</source>
        <translation>No hay nada que rehacer</translation>
    </message>
    <message>
        <source>The guess is hidden for this text, to see whether guesses lead you.</source>
        <translation>La propuesta se oculta en este texto para ver si las propuestas te influyen.</translation>
    </message>
    <message>
        <source>The bars are a first guess by the labels’ words alone. Label {enough} texts of each, and a classifier is taught.</source>
        <translation>Las barras son una primera propuesta solo por las palabras de las etiquetas. Etiqueta {enough} textos con cada una y se enseñará a un clasificador.</translation>
    </message>
    <message>
        <source>Still needed before a classifier is taught: {labels}.</source>
        <translation>Falta para enseñar a un clasificador: {labels}.</translation>
    </message>
    <message>
        <source>Still needed before a classifier is taught: {labels} and {more} more.</source>
        <translation>Falta para enseñar a un clasificador: {labels} y {more} más.</translation>
    </message>
    <message>
        <source>The bars are the classifier’s guess. It is taught again as you go on.</source>
        <translation>Las barras son la propuesta del clasificador. Vuelve a aprender a medida que avanzas.</translation>
    </message>
    <message>
        <source>The classifier is being taught; go on labelling.</source>
        <translation>El clasificador está aprendiendo; sigue etiquetando.</translation>
    </message>
    <message numerus="yes">
        <source>{given:,} of {n:,} text labelled</source>
        <comment>{given:,} of {n:,} texts labelled</comment>
        <translation>
            <numerusform>{given:,} de {n:,} texto etiquetado</numerusform>
            <numerusform>{given:,} de {n:,} textos etiquetados</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>A classifier was taught from {n:,} text</source>
        <comment>A classifier was taught from {n:,} texts</comment>
        <translation>
            <numerusform>Se ha enseñado a un clasificador con {n:,} texto</numerusform>
            <numerusform>Se ha enseñado a un clasificador con {n:,} textos</numerusform>
        </translation>
    </message>
    <message>
        <source>Export the labels</source>
        <translation>Exportar las etiquetas</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} row exported</source>
        <comment>{n:,} rows exported</comment>
        <translation>
            <numerusform>{n:,} fila exportada</numerusform>
            <numerusform>{n:,} filas exportadas</numerusform>
        </translation>
    </message>
    <message>
        <source>Below an answer, or beside a table’s cell, press A if it is right, E to take the words that you selected instead, or X if the text does not answer. That is kept on this computer only, and the reader can learn from it.</source>
        <translation>Bajo una respuesta, o junto a la celda de una tabla, pulsa A si es correcta, E para usar en su lugar las palabras que has seleccionado o X si el texto no responde. Eso se guarda solo en este ordenador, y el lector puede aprender de ello.</translation>
    </message>
    <message>
        <source>Reader</source>
        <translation>Lector</translation>
    </message>
    <message>
        <source>Search the corrections</source>
        <translation>Buscar en las correcciones</translation>
    </message>
    <message>
        <source>Open its document there</source>
        <translation>Abrir allí su documento</translation>
    </message>
    <message>
        <source>Delete the correction, or the version after asking</source>
        <translation>Eliminar la corrección, o la versión tras preguntar</translation>
    </message>
    <message>
        <source>Copy the question with the right words</source>
        <translation>Copiar la pregunta con las palabras correctas</translation>
    </message>
    <message>
        <source>Pause teaching</source>
        <translation>Pausar la enseñanza</translation>
    </message>
    <message>
        <source>Open the document</source>
        <translation>Abrir el documento</translation>
    </message>
    <message>
        <source>Enter, or a double click</source>
        <translation>Enter o doble clic</translation>
    </message>
    <message>
        <source>Delete it  (Del)</source>
        <translation>Eliminarla  (Supr)</translation>
    </message>
    <message>
        <source>Write those listed as SQuAD 2.0</source>
        <translation>Guardar las de la lista como SQuAD 2.0</translation>
    </message>
    <message>
        <source>{shown:,} of {whole:,}</source>
        <translation>{shown:,} de {whole:,}</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} correction</source>
        <comment>{n:,} corrections</comment>
        <translation>
            <numerusform>{n:,} corrección</numerusform>
            <numerusform>{n:,} correcciones</numerusform>
        </translation>
    </message>
    <message>
        <source>No correction has “{words}”.</source>
        <translation>Ninguna corrección contiene «{words}».</translation>
    </message>
    <message>
        <source>No corrections yet</source>
        <translation>Todavía no hay correcciones</translation>
    </message>
    <message>
        <source>To the page Ask  (Ctrl+1)</source>
        <translation>A la página Preguntar  (Ctrl+1)</translation>
    </message>
    <message>
        <source>Export the corrections</source>
        <translation>Exportar las correcciones</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} correction exported</source>
        <comment>{n:,} corrections exported</comment>
        <translation>
            <numerusform>{n:,} corrección exportada</numerusform>
            <numerusform>{n:,} correcciones exportadas</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The reader was taught from {n:,} correction: it is better</source>
        <comment>The reader was taught from {n:,} corrections: it is better</comment>
        <translation>
            <numerusform>Se ha enseñado al lector con {n:,} corrección: es mejor</numerusform>
            <numerusform>Se ha enseñado al lector con {n:,} correcciones: es mejor</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The reader was taught from {n:,} correction: it is not better</source>
        <comment>The reader was taught from {n:,} corrections: it is not better</comment>
        <translation>
            <numerusform>Se ha enseñado al lector con {n:,} corrección: no es mejor</numerusform>
            <numerusform>Se ha enseñado al lector con {n:,} correcciones: no es mejor</numerusform>
        </translation>
    </message>
    <message>
        <source>Another reader answers questions from now on</source>
        <translation>A partir de ahora responde otro lector</translation>
    </message>
    <message>
        <source>Export into a new folder there</source>
        <translation>Exportar ahí a una carpeta nueva</translation>
    </message>
    <message>
        <source>Exported</source>
        <translation>Exportado</translation>
    </message>
    <message>
        <source>A line for each. A colon and a few words make the first guesses better: “Delivery: the parcel, the courier, when it came”.</source>
        <translation>Una por línea. Dos puntos y unas pocas palabras mejoran las primeras propuestas: «Entrega: el paquete, el repartidor, cuándo llegó».</translation>
    </message>
    <message>
        <source>Several may apply to one text, or none</source>
        <translation>A un texto pueden corresponderle varias, o ninguna</translation>
    </message>
    <message>
        <source>Begin</source>
        <translation>Empezar</translation>
    </message>
    <message>
        <source>Texts in</source>
        <translation>Textos en</translation>
    </message>
    <message>
        <source>Labels in</source>
        <translation>Etiquetas en</translation>
    </message>
    <message>
        <source>Begin with</source>
        <translation>Empezar con</translation>
    </message>
    <message>
        <source>Column of the texts</source>
        <translation>Columna de los textos</translation>
    </message>
    <message>
        <source>Column of labels</source>
        <translation>Columna de las etiquetas</translation>
    </message>
    <message>
        <source>Labels, one a line</source>
        <translation>Etiquetas, una por línea</translation>
    </message>
    <message>
        <source>Which labels?</source>
        <translation>¿Qué etiquetas?</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} text of {file}.</source>
        <comment>{n:,} texts of {file}.</comment>
        <translation>
            <numerusform>{n:,} texto de {file}.</numerusform>
            <numerusform>{n:,} textos de {file}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} text.</source>
        <comment>{n:,} texts.</comment>
        <translation>
            <numerusform>{n:,} texto.</numerusform>
            <numerusform>{n:,} textos.</numerusform>
        </translation>
    </message>
    <message>
        <source>The table is copied into Spanlight; the file stays as it is.</source>
        <translation>La tabla se copia en Spanlight; el archivo se queda como está.</translation>
    </message>
    <message>
        <source>None: I label them here</source>
        <translation>Ninguna: las pongo yo aquí</translation>
    </message>
    <message>
        <source>Labels of my own</source>
        <translation>Mis propias etiquetas</translation>
    </message>
    <message>
        <source>The labels of {name}</source>
        <translation>Las etiquetas de {name}</translation>
    </message>
    <message>
        <source>A label that is renamed keeps its texts; one that is taken out leaves them without it.</source>
        <translation>Una etiqueta renombrada conserva sus textos; si se quita, sus textos se quedan sin ella.</translation>
    </message>
    <message numerus="yes">
        <source>{n:,} label: {labels}</source>
        <comment>{n:,} labels: {labels}</comment>
        <translation>
            <numerusform>{n:,} etiqueta: {labels}</numerusform>
            <numerusform>{n:,} etiquetas: {labels}</numerusform>
        </translation>
    </message>
    <message>
        <source>Those of the column; add others or descriptions here</source>
        <translation>Las de la columna; añade aquí otras o descripciones</translation>
    </message>
    <message>
        <source>Complaint
Praise
Question</source>
        <translation>Queja
Elogio
Pregunta</translation>
    </message>
    <message>
        <source>Getting ready to measure</source>
        <translation>Preparando la medición</translation>
    </message>
    <message>
        <source>Teaching goes on</source>
        <translation>La enseñanza continúa</translation>
    </message>
    <message>
        <source>Labels, or the reader</source>
        <translation>Etiquetas, o el lector</translation>
    </message>
    <message>
        <source>Teaching goes on after other work</source>
        <translation>La enseñanza continúa tras otro trabajo</translation>
    </message>
    <message>
        <source>Keeping what was learnt</source>
        <translation>Guardando lo aprendido</translation>
    </message>
    <message>
        <source>Discarding what was learnt</source>
        <translation>Descartando lo aprendido</translation>
    </message>
    <message>
        <source>Guess</source>
        <translation>Propuesta</translation>
    </message>
    <message>
        <source>No.</source>
        <translation>Núm.</translation>
    </message>
    <message>
        <source>Which texts</source>
        <translation>Qué textos</translation>
    </message>
    <message>
        <source>Texts of each label</source>
        <translation>Textos de cada etiqueta</translation>
    </message>
    <message>
        <source>1 to 9 label the chosen texts, Delete takes labels back, Enter opens one.</source>
        <translation>1 a 9 etiquetan los textos seleccionados, Supr retira las etiquetas y Enter abre uno.</translation>
    </message>
    <message>
        <source>Not labelled</source>
        <translation>Sin etiquetar</translation>
    </message>
    <message>
        <source>Labelled by me</source>
        <translation>Etiquetados por mí</translation>
    </message>
    <message>
        <source>Unsure</source>
        <translation>Dudosos</translation>
    </message>
    <message>
        <source>Open a table with a text in each row: answers of a survey, messages, reviews. Name the labels that you want, label some texts, and a classifier learns them on this computer, in a minute or so. It then labels all the others, and shows how often it is right.</source>
        <translation>Abre una tabla con un texto en cada fila: respuestas de una encuesta, mensajes, reseñas. Pon nombre a las etiquetas que quieres, etiqueta algunos textos y un clasificador las aprende en este ordenador, en un minuto más o menos. Después etiqueta todos los demás y muestra cuántas veces acierta.</translation>
    </message>
    <message>
        <source>Open a table…</source>
        <translation>Abrir una tabla…</translation>
    </message>
    <message>
        <source>CSV, Excel or JSON Lines  (Ctrl+O)</source>
        <translation>CSV, Excel o JSON Lines  (Ctrl+O)</translation>
    </message>
    <message>
        <source>Paste texts</source>
        <translation>Pegar textos</translation>
    </message>
    <message>
        <source>Each line of the clipboard is a text</source>
        <translation>Cada línea del portapapeles es un texto</translation>
    </message>
    <message>
        <source>Or try it with some reviews</source>
        <translation>O pruébalo con unas reseñas</translation>
    </message>
    <message>
        <source>Short reviews that come along</source>
        <translation>Reseñas breves incluidas</translation>
    </message>
    <message>
        <source>Labels of your own</source>
        <translation>Tus propias etiquetas</translation>
    </message>
    <message>
        <source>Or drop a table here: CSV, TSV, Excel, JSON Lines, or a text with a line for each.</source>
        <translation>O suelta una tabla aquí: CSV, TSV, Excel, JSON Lines o un texto con una línea para cada uno.</translation>
    </message>
    <message>
        <source>Lab</source>
        <translation>Laboratorio</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Páginas</translation>
    </message>
    <message>
        <source>Loading the reader…</source>
        <translation>Cargando el lector…</translation>
    </message>
    <message>
        <source>Loading the reader again…</source>
        <translation>Cargando de nuevo el lector…</translation>
    </message>
    <message numerus="yes">
        <source>Put away after {n:,} minute; the next question loads it again</source>
        <comment>Put away after {n:,} minutes; the next question loads it again</comment>
        <translation>
            <numerusform>Fuera de memoria tras {n:,} minuto; la próxima pregunta lo vuelve a cargar</numerusform>
            <numerusform>Fuera de memoria tras {n:,} minutos; la próxima pregunta lo vuelve a cargar</numerusform>
        </translation>
    </message>
    <message>
        <source>Put away; the next question loads it again</source>
        <translation>Fuera de memoria; la próxima pregunta lo vuelve a cargar</translation>
    </message>
    <message>
        <source>The models have left the memory. Nothing that you typed or asked is lost.</source>
        <translation>Los modelos han salido de la memoria. No se pierde nada de lo que has escrito o preguntado.</translation>
    </message>
    <message>
        <source>the loading of the reader</source>
        <translation>la carga del lector</translation>
    </message>
    <message>
        <source>Reader ready, on {device}</source>
        <translation>Lector listo, en {device}</translation>
    </message>
    <message>
        <source>This sheet</source>
        <translation>Esta hoja</translation>
    </message>
    <message>
        <source>Everywhere</source>
        <translation>En todas partes</translation>
    </message>
    <message>
        <source>Keyboard</source>
        <translation>Teclado</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Atajos de teclado</translation>
    </message>
    <message>
        <source>Keys and what they do</source>
        <translation>Las teclas y lo que hacen</translation>
    </message>
    <message>
        <source>Network: only when asked</source>
        <translation>Red: solo si lo pides</translation>
    </message>
    <message>
        <source>Nothing is reached over the network: models cannot be looked up or downloaded.
Click to allow that, each time you ask for it.</source>
        <translation>No se accede a nada por la red: no se pueden consultar ni descargar modelos.
Haz clic para permitirlo, cada vez que lo pidas.</translation>
    </message>
    <message>
        <source>The network is used only when you look up or download a model on the page Models, for nothing else.
Your texts never leave this computer. Click to go offline.</source>
        <translation>La red solo se usa cuando consultas o descargas un modelo en la página Modelos, y para nada más.
Tus textos nunca salen de este ordenador. Haz clic para trabajar sin conexión.</translation>
    </message>
    <message>
        <source>Offline switch: {state}</source>
        <translation>Interruptor «Sin conexión»: {state}</translation>
    </message>
    <message>
        <source>Trying the new model</source>
        <translation>Probando el nuevo modelo</translation>
    </message>
    <message>
        <source>Downloading {number}%</source>
        <translation>Descargando {number}&#xa0;%</translation>
    </message>
    <message>
        <source>Downloading {size}</source>
        <translation>Descargando {size}</translation>
    </message>
    <message>
        <source>Pause the filling of the table</source>
        <translation>Pausar el relleno de la tabla</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Estado</translation>
    </message>
    <message>
        <source>Read them</source>
        <translation>Leer</translation>
    </message>
    <message numerus="yes">
        <source>“{library}” has {n:,} new document, {size}. Read all of them?</source>
        <comment>“{library}” has {n:,} new documents, {size}. Read all of them?</comment>
        <translation>
            <numerusform>«{library}» tiene {n:,} documento nuevo, {size}. ¿Leerlo?</numerusform>
            <numerusform>«{library}» tiene {n:,} documentos nuevos, {size}. ¿Leerlos todos?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>“{library}” has {n:,} document, {size}. Read all of them?</source>
        <comment>“{library}” has {n:,} documents, {size}. Read all of them?</comment>
        <translation>
            <numerusform>«{library}» tiene {n:,} documento, {size}. ¿Leerlo?</numerusform>
            <numerusform>«{library}» tiene {n:,} documentos, {size}. ¿Leerlos todos?</numerusform>
        </translation>
    </message>
    <message>
        <source>Indexing {library} anew</source>
        <translation>Indexando {library} de nuevo</translation>
    </message>
    <message>
        <source>Reading {library}</source>
        <translation>Leyendo {library}</translation>
    </message>
    <message>
        <source>mail {number:,}</source>
        <translation>correo {number:,}</translation>
    </message>
    <message>
        <source>A mail is encrypted: only its head can be read.</source>
        <translation>Hay un correo cifrado: solo se puede leer su cabecera.</translation>
    </message>
    <message>
        <source>Attachments beyond {files:,} files or {size} are listed and not read.</source>
        <translation>Los adjuntos que pasan de {files:,} archivos o de {size} aparecen en la lista, pero no se leen.</translation>
    </message>
    <message>
        <source>{name}: {note}</source>
        <translation>{name}: {note}</translation>
    </message>
    <message>
        <source>The mail is too long: its beginning is shown.</source>
        <translation>El correo es demasiado largo: se muestra el principio.</translation>
    </message>
    <message>
        <source>Reading the mailbox</source>
        <translation>Leyendo el buzón</translation>
    </message>
    <message>
        <source>“{name}” holds no mail that can be read.</source>
        <translation>«{name}» no contiene ningún correo que se pueda leer.</translation>
    </message>
    <message>
        <source>{shown:,} of {all:,} mails are shown.</source>
        <translation>Se muestran {shown:,} de {all:,} correos.</translation>
    </message>
    <message>
        <source>Of very large mails the beginning is shown.</source>
        <translation>De los correos muy grandes se muestra el principio.</translation>
    </message>
    <message>
        <source>Reading the mail</source>
        <translation>Leyendo el correo</translation>
    </message>
    <message>
        <source>“{name}” is damaged, or nested deeper than any mail, and was not opened.</source>
        <translation>«{name}» está dañado o tiene más niveles anidados que cualquier correo, y no se ha abierto.</translation>
    </message>
    <message>
        <source>Open it in a mail program, and save the part that matters.</source>
        <translation>Ábrelo en un programa de correo y guarda la parte que importa.</translation>
    </message>
    <message>
        <source>“{name}” is nested deeper than any document, and was not opened.</source>
        <translation>«{name}» tiene más niveles anidados que cualquier documento, y no se ha abierto.</translation>
    </message>
    <message>
        <source>If you trust it, open it in the program that wrote it and save it as plain text.</source>
        <translation>Si te fías de él, ábrelo en el programa que lo creó y guárdalo como texto sin formato.</translation>
    </message>
    <message>
        <source>It has too many cells for a table, so it is read as a text, line by line.</source>
        <translation>Tiene demasiadas celdas para una tabla, así que se lee como texto, línea a línea.</translation>
    </message>
    <message>
        <source>Reading the table</source>
        <translation>Leyendo la tabla</translation>
    </message>
    <message>
        <source>“{name}” has more than {most:,} cells, too many for a document.</source>
        <translation>«{name}» tiene más de {most:,} celdas, demasiadas para un documento.</translation>
    </message>
    <message>
        <source>Save the rows that matter as a file of their own, or the sheet as CSV, and open that.</source>
        <translation>Guarda las filas que importan en un archivo aparte, o la hoja como CSV, y abre ese archivo.</translation>
    </message>
    <message>
        <source>Opening the spreadsheet</source>
        <translation>Abriendo la hoja de cálculo</translation>
    </message>
    <message>
        <source>Reading the sheets</source>
        <translation>Leyendo las hojas</translation>
    </message>
    <message numerus="yes">
        <source>{n} hidden sheet is left out.</source>
        <comment>{n} hidden sheets are left out.</comment>
        <translation>
            <numerusform>Se ha omitido {n} hoja oculta.</numerusform>
            <numerusform>Se han omitido {n} hojas ocultas.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} damaged sheet is left out.</source>
        <comment>{n} damaged sheets are left out.</comment>
        <translation>
            <numerusform>Se ha omitido {n} hoja dañada.</numerusform>
            <numerusform>Se han omitido {n} hojas dañadas.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} formula has no stored value: open the file in a spreadsheet program and save it.</source>
        <comment>{n:,} formulas have no stored value: open the file in a spreadsheet program and save it.</comment>
        <translation>
            <numerusform>{n:,} fórmula no tiene valor guardado: abre el archivo en una hoja de cálculo y guárdalo.</numerusform>
            <numerusform>{n:,} fórmulas no tienen valor guardado: abre el archivo en una hoja de cálculo y guárdalo.</numerusform>
        </translation>
    </message>
    <message>
        <source>Outline</source>
        <translation>Esquema</translation>
    </message>
    <message>
        <source>{title}, level {level}</source>
        <translation>{title}, nivel {level}</translation>
    </message>
    <message>
        <source>{title}, level {level}, page {page:,}</source>
        <translation>{title}, nivel {level}, página {page:,}</translation>
    </message>
    <message>
        <source>{title}  (page {page:,})</source>
        <translation>{title}  (página {page:,})</translation>
    </message>
    <message>
        <source>Place and size</source>
        <translation>Posición y tamaño</translation>
    </message>
    <message>
        <source>Outline  (Ctrl+Shift+O)</source>
        <translation>Esquema  (Ctrl+Shift+O)</translation>
    </message>
    <message>
        <source>Find in the text  (Ctrl+F)</source>
        <translation>Buscar en el texto  (Ctrl+F)</translation>
    </message>
    <message>
        <source>Size of the page</source>
        <translation>Tamaño de la página</translation>
    </message>
    <message>
        <source>Page</source>
        <translation>Página</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>Línea</translation>
    </message>
    <message>
        <source>Go to a page  (Ctrl+G)</source>
        <translation>Ir a una página  (Ctrl+G)</translation>
    </message>
    <message>
        <source>Go to a line  (Ctrl+G)</source>
        <translation>Ir a una línea  (Ctrl+G)</translation>
    </message>
    <message>
        <source>{percent}%</source>
        <translation>{percent}&#xa0;%</translation>
    </message>
    <message>
        <source>Size of the page: {percent}%</source>
        <translation>Tamaño de la página: {percent}&#xa0;%</translation>
    </message>
    <message>
        <source>({number:,} of {total:,})</source>
        <translation>({number:,} de {total:,})</translation>
    </message>
    <message>
        <source>of {total:,}</source>
        <translation>de {total:,}</translation>
    </message>
    <message>
        <source>No such page</source>
        <translation>No existe esa página</translation>
    </message>
    <message>
        <source>Slide</source>
        <translation>Diapositiva</translation>
    </message>
    <message>
        <source>Go to a slide  (Ctrl+G)</source>
        <translation>Ir a una diapositiva  (Ctrl+G)</translation>
    </message>
    <message>
        <source>No such slide</source>
        <translation>No existe esa diapositiva</translation>
    </message>
    <message>
        <source>Sheet</source>
        <translation>Hoja</translation>
    </message>
    <message>
        <source>Go to a sheet  (Ctrl+G)</source>
        <translation>Ir a una hoja  (Ctrl+G)</translation>
    </message>
    <message>
        <source>No such sheet</source>
        <translation>No existe esa hoja</translation>
    </message>
    <message>
        <source>Mail</source>
        <translation>Correo</translation>
    </message>
    <message>
        <source>Go to a mail  (Ctrl+G)</source>
        <translation>Ir a un correo  (Ctrl+G)</translation>
    </message>
    <message>
        <source>No such mail</source>
        <translation>No existe ese correo</translation>
    </message>
    <message>
        <source>No such line</source>
        <translation>No existe esa línea</translation>
    </message>
    <message>
        <source>Fit the width</source>
        <translation>Ajustar al ancho</translation>
    </message>
    <message>
        <source>Fit the page</source>
        <translation>Ajustar a la página</translation>
    </message>
    <message>
        <source>Larger</source>
        <translation>Más grande</translation>
    </message>
    <message>
        <source>Smaller</source>
        <translation>Más pequeño</translation>
    </message>
    <message>
        <source>Text recognised, {language}, {percent} sure</source>
        <translation>Texto reconocido, {language}, {percent} de seguridad</translation>
    </message>
    <message>
        <source>a JPEG that is compressed in a rare way</source>
        <translation>un JPEG comprimido de forma poco común</translation>
    </message>
    <message>
        <source>an interlaced PNG</source>
        <translation>un PNG entrelazado</translation>
    </message>
    <message>
        <source>a very large one that is partly transparent</source>
        <translation>una muy grande y en parte transparente</translation>
    </message>
    <message>
        <source>a TIFF with its colours apart</source>
        <translation>un TIFF con los colores separados</translation>
    </message>
    <message>
        <source>a TIFF with unusual colours</source>
        <translation>un TIFF con colores poco comunes</translation>
    </message>
    <message>
        <source>a TIFF with 16 bits a colour</source>
        <translation>un TIFF con 16 bits por color</translation>
    </message>
    <message>
        <source>a TIFF that is compressed in a rare way</source>
        <translation>un TIFF comprimido de forma poco común</translation>
    </message>
    <message>
        <source>a very large TIFF</source>
        <translation>un TIFF muy grande</translation>
    </message>
    <message>
        <source>Recognising the text of pages</source>
        <translation>Reconociendo el texto de las páginas</translation>
    </message>
    <message>
        <source>The file of recognised pages</source>
        <translation>El archivo de páginas reconocidas</translation>
    </message>
    <message>
        <source>Recognise the text</source>
        <translation>Reconocer el texto</translation>
    </message>
    <message numerus="yes">
        <source>Stopped: {n:,} page is a picture whose text is not recognised yet. It takes about {time}.</source>
        <comment>Stopped: {n:,} pages are pictures whose text is not recognised yet. It takes about {time}.</comment>
        <translation>
            <numerusform>Parado: {n:,} página es una imagen cuyo texto aún no se ha reconocido. Tarda aproximadamente {time}.</numerusform>
            <numerusform>Parado: {n:,} páginas son imágenes cuyo texto aún no se ha reconocido. Tarda aproximadamente {time}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n:,} page is a picture. To recognise its text takes about {time}.</source>
        <comment>{n:,} pages are pictures. To recognise their text takes about {time}.</comment>
        <translation>
            <numerusform>{n:,} página es una imagen. Reconocer su texto tarda aproximadamente {time}.</numerusform>
            <numerusform>{n:,} páginas son imágenes. Reconocer su texto tarda aproximadamente {time}.</numerusform>
        </translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Continuar</translation>
    </message>
    <message>
        <source>Not sure of {words}: compare the picture.</source>
        <translation>No hay seguridad en {words}: compara con la imagen.</translation>
    </message>
    <message>
        <source>Text in pictures cannot be recognised: the program tesseract breaks off.</source>
        <translation>No se puede reconocer el texto de las imágenes: el programa tesseract se interrumpe.</translation>
    </message>
    <message>
        <source>Install it again, or a newer one.</source>
        <translation>Instálalo de nuevo, o una versión más reciente.</translation>
    </message>
    <message>
        <source>A very small reader, taught on SQuAD and on questions written to mislead a model (AdversarialQA).</source>
        <translation>Un lector muy pequeño, entrenado con SQuAD y con preguntas escritas para engañar a un modelo (AdversarialQA).</translation>
    </message>
    <message>
        <source>A small reader of a family made for telephones, taught on SQuAD 2.0; its vocabulary has no capital letters.</source>
        <translation>Un lector pequeño de una familia hecha para teléfonos, entrenado con SQuAD 2.0; su vocabulario no tiene mayúsculas.</translation>
    </message>
    <message>
        <source>A small reader, distilled from BERT on SQuAD 1.1, where every question has an answer.</source>
        <translation>Un lector pequeño, destilado de BERT con SQuAD 1.1, donde cada pregunta tiene respuesta.</translation>
    </message>
    <message>
        <source>A distilled roberta-base-squad2 of half its depth, taught on SQuAD 2.0.</source>
        <translation>Un roberta-base-squad2 destilado con la mitad de profundidad, entrenado con SQuAD 2.0.</translation>
    </message>
    <message>
        <source>A reader of German, distilled on GermanQuAD from a larger one.</source>
        <translation>Un lector de alemán, destilado de uno mayor con GermanQuAD.</translation>
    </message>
    <message>
        <source>A reader on RoBERTa base, taught on SQuAD 2.0.</source>
        <translation>Un lector sobre RoBERTa base, entrenado con SQuAD 2.0.</translation>
    </message>
    <message>
        <source>A reader of Spanish, taught on SQAC from a RoBERTa of Spain&apos;s national library.</source>
        <translation>Un lector de español, entrenado con SQAC a partir de un RoBERTa de la Biblioteca Nacional de España.</translation>
    </message>
    <message>
        <source>A reader on DeBERTa-v3 base, taught on SQuAD 2.0.</source>
        <translation>Un lector sobre DeBERTa-v3 base, entrenado con SQuAD 2.0.</translation>
    </message>
    <message>
        <source>A reader of many languages: pretrained on about a hundred of them, taught to answer on the English SQuAD 2.0.</source>
        <translation>Un lector de muchas lenguas: preentrenado con un centenar de ellas; aprendió a responder con SQuAD 2.0, en inglés.</translation>
    </message>
    <message>
        <source>The large BERT that masks whole words, taught on SQuAD 1.1, where every question has an answer.</source>
        <translation>El BERT grande que enmascara palabras enteras, entrenado con SQuAD 1.1, donde cada pregunta tiene respuesta.</translation>
    </message>
    <message>
        <source>A large reader on DeBERTa-v3, taught on SQuAD 2.0.</source>
        <translation>Un lector grande sobre DeBERTa-v3, entrenado con SQuAD 2.0.</translation>
    </message>
    <message>
        <source>Tells whether an English sentence is for or against, taught on film reviews (SST-2); its card warns of biases about countries.</source>
        <translation>Indica si una frase en inglés es favorable o contraria, entrenado con críticas de cine (SST-2); su ficha advierte de sesgos sobre países.</translation>
    </message>
    <message>
        <source>Marks English comments as toxic, obscene, threatening and more, several labels at once (Jigsaw 2018).</source>
        <translation>Marca comentarios en inglés como tóxicos, obscenos, amenazantes y más, con varias etiquetas a la vez (Jigsaw 2018).</translation>
    </message>
    <message>
        <source>Finds emotions in short English texts, several at once, taught on Reddit comments (GoEmotions).</source>
        <translation>Encuentra emociones en textos cortos en inglés, varias a la vez, entrenado con comentarios de Reddit (GoEmotions).</translation>
    </message>
    <message>
        <source>Positive, neutral or negative in twelve languages; distilled from a larger model without labelled texts.</source>
        <translation>Positivo, neutro o negativo en doce lenguas; destilado de un modelo mayor sin textos etiquetados.</translation>
    </message>
    <message>
        <source>From very negative to very positive in more than twenty languages; taught on made-up texts.</source>
        <translation>De muy negativo a muy positivo en más de veinte lenguas; entrenado con textos inventados.</translation>
    </message>
    <message>
        <source>Tells whether a sentence of financial news in English is good, bad or neutral; on DeBERTa-v3 small.</source>
        <translation>Indica si una frase de noticias financieras en inglés es buena, mala o neutra; sobre DeBERTa-v3 small.</translation>
    </message>
    <message>
        <source>Gives product reviews in six languages one to five stars.</source>
        <translation>Da de una a cinco estrellas a reseñas de productos en seis lenguas.</translation>
    </message>
    <message>
        <source>Tells which of twenty languages a text is written in.</source>
        <translation>Indica en cuál de veinte lenguas está escrito un texto.</translation>
    </message>
    <message>
        <source>Sorts news in many languages into the 17 main topics of the IPTC; a large model.</source>
        <translation>Clasifica noticias en muchas lenguas en los 17 temas principales del IPTC; un modelo grande.</translation>
    </message>
    <message>
        <source>A very small file: its twelve layers share their weights.</source>
        <translation>Un archivo muy pequeño: sus doce capas comparten los pesos.</translation>
    </message>
    <message>
        <source>A distilled BERT of half the depth; knows no capital letters.</source>
        <translation>Un BERT destilado con la mitad de profundidad; no distingue mayúsculas.</translation>
    </message>
    <message>
        <source>A distilled RoBERTa of half the depth.</source>
        <translation>Un RoBERTa destilado con la mitad de profundidad.</translation>
    </message>
    <message>
        <source>The first BERT, with capital letters: fills blanks and tells whether a sentence follows.</source>
        <translation>El primer BERT, con mayúsculas: completa huecos e indica si una frase sigue a otra.</translation>
    </message>
    <message>
        <source>A BERT of German alone, with capital letters.</source>
        <translation>Un BERT solo de alemán, con mayúsculas.</translation>
    </message>
    <message>
        <source>The first BERT, without capital letters: fills blanks and tells whether a sentence follows.</source>
        <translation>El primer BERT, sin mayúsculas: completa huecos e indica si una frase sigue a otra.</translation>
    </message>
    <message>
        <source>A BERT that was pretrained longer and on more text, without next sentence.</source>
        <translation>Un BERT preentrenado más tiempo y con más texto, sin la frase siguiente.</translation>
    </message>
    <message>
        <source>One BERT for the hundred languages with the largest Wikipedias: blanks and next sentence.</source>
        <translation>Un solo BERT para las cien lenguas con las mayores Wikipedias: huecos y frase siguiente.</translation>
    </message>
    <message>
        <source>One RoBERTa for about a hundred languages, pretrained on pages of the web.</source>
        <translation>Un solo RoBERTa para un centenar de lenguas, preentrenado con páginas web.</translation>
    </message>
    <message>
        <source>Finds people, organisations, places and others in English news (CoNLL 2003); half the depth of BERT base.</source>
        <translation>Encuentra personas, organizaciones, lugares y otros en noticias en inglés (CoNLL 2003); la mitad de profundidad que BERT base.</translation>
    </message>
    <message>
        <source>Finds diseases, medication, body parts, test results and many more kinds in English case reports.</source>
        <translation>Encuentra enfermedades, medicamentos, partes del cuerpo, resultados de pruebas y mucho más en informes de casos en inglés.</translation>
    </message>
    <message>
        <source>Finds people, organisations, places and others in English news (CoNLL 2003).</source>
        <translation>Encuentra personas, organizaciones, lugares y otros en noticias en inglés (CoNLL 2003).</translation>
    </message>
    <message>
        <source>Finds people, organisations and places in ten languages with much written text.</source>
        <translation>Encuentra personas, organizaciones y lugares en diez lenguas con mucho texto escrito.</translation>
    </message>
    <message>
        <source>Finds people, organisations, places and others in nine languages, taught on texts from Wikipedia (WikiNEuRal).</source>
        <translation>Encuentra personas, organizaciones, lugares y otros en nueve lenguas, entrenado con textos de Wikipedia (WikiNEuRal).</translation>
    </message>
    <message>
        <source>Finds personal details, such as addresses, telephone numbers and passwords, in six languages.</source>
        <translation>Encuentra datos personales, como direcciones, números de teléfono y contraseñas, en seis lenguas.</translation>
    </message>
    <message>
        <source>Finds passages of English text that mean what a question asks, in other words too.</source>
        <translation>Encuentra pasajes de textos en inglés que dicen lo que se pregunta, también con otras palabras.</translation>
    </message>
    <message>
        <source>Finds the span of an English text that answers a question, or tells that the text does not say. The careful reader: what it finds is the answer that is shown.</source>
        <translation>Encuentra el fragmento de un texto en inglés que responde a una pregunta, o indica que el texto no lo dice. El lector minucioso: lo que encuentra es la respuesta que se muestra.</translation>
    </message>
    <message>
        <source>Finds the span of an English text that answers a question, or tells that the text does not say.</source>
        <translation>Encuentra el fragmento de un texto en inglés que responde a una pregunta, o indica que el texto no lo dice.</translation>
    </message>
    <message>
        <source>Finds names of people, places, organisations and other things in an English text.</source>
        <translation>Encuentra nombres de personas, lugares, organizaciones y otras cosas en un texto en inglés.</translation>
    </message>
    <message>
        <source>Fills in missing words of an English text, and tells whether one passage continues another.</source>
        <translation>Completa las palabras que faltan en un texto en inglés e indica si un pasaje continúa otro.</translation>
    </message>
    <message>
        <source>Tells whether an English text is negative or positive.</source>
        <translation>Indica si un texto en inglés es negativo o positivo.</translation>
    </message>
    <message>
        <source>Why the sea rises and falls</source>
        <translation>Por qué sube y baja el mar</translation>
    </message>
    <message>
        <source>A letter about a flat</source>
        <translation>Una carta sobre un piso</translation>
    </message>
    <message>
        <source>Minutes of a garden club</source>
        <translation>Acta de un club de jardinería</translation>
    </message>
    <message>
        <source>How to look after a moka pot</source>
        <translation>Cómo cuidar una cafetera italiana</translation>
    </message>
    <message>
        <source>Who stole the tarts?</source>
        <translation>¿Quién robó las tartas?</translation>
    </message>
    <message>
        <source>An animal with three hearts</source>
        <translation>Un animal con tres corazones</translation>
    </message>
    <message>
        <source>A happy customer</source>
        <translation>Una clienta contenta</translation>
    </message>
    <message>
        <source>A disappointed guest</source>
        <translation>Un huésped decepcionado</translation>
    </message>
    <message>
        <source>A critic in two minds</source>
        <translation>Un crítico indeciso</translation>
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
        <translation>Una carta con cinco huecos</translation>
    </message>
    <message>
        <source>A recipe that goes on</source>
        <translation>Una receta que continúa</translation>
    </message>
    <message>
        <source>Nothing to do with each other</source>
        <translation>Sin relación entre sí</translation>
    </message>
    <message>
        <source>The wrong way round</source>
        <translation>En orden inverso</translation>
    </message>
    <message>
        <source>A museum reopens</source>
        <translation>Un museo reabre</translation>
    </message>
    <message>
        <source>A letter from the road</source>
        <translation>Una carta de viaje</translation>
    </message>
    <message>
        <source>Wikipedia questions</source>
        <translation>Preguntas sobre Wikipedia</translation>
    </message>
    <message>
        <source>130 questions on paragraphs of five Wikipedia articles, 40 of them not answered there (SQuAD 2.0, CC BY-SA 4.0). Spanlight quick reader was tuned on these, among others: it may do a little better here than on new ones.</source>
        <translation>130 preguntas sobre párrafos de cinco artículos de Wikipedia, 40 de ellas sin respuesta allí (SQuAD 2.0, CC BY-SA 4.0). El lector rápido de Spanlight se ajustó también con estas: aquí puede acertar algo más que con otras nuevas.</translation>
    </message>
    <message>
        <source>Short reviews</source>
        <translation>Reseñas cortas</translation>
    </message>
    <message>
        <source>150 sentences from reviews of things, films and restaurants, half of them positive, half negative (CC BY 4.0). Spanlight sentiment was tuned on these, among others: it may do a little better here than on new ones.</source>
        <translation>150 frases de reseñas de productos, películas y restaurantes, la mitad positivas y la mitad negativas (CC BY 4.0). El modelo de sentimiento de Spanlight se ajustó también con estas: aquí puede acertar algo más que con otras nuevas.</translation>
    </message>
    <message>
        <source>Names in Wikipedia</source>
        <translation>Nombres en Wikipedia</translation>
    </message>
    <message>
        <source>100 sentences with persons (PER), places (LOC), organisations (ORG) and other names (MISC) (Wikigold, CC BY 4.0). Spanlight names was tuned on these, among others: it may do a little better here than on new ones.</source>
        <translation>100 frases con personas (PER), lugares (LOC), organizaciones (ORG) y otros nombres (MISC) (Wikigold, CC BY 4.0). El modelo de nombres de Spanlight se ajustó también con estas: aquí puede acertar algo más que con otras nuevas.</translation>
    </message>
    <message>
        <source>Files whose names are no valid Unicode are left out.</source>
        <translation>Se omiten los archivos cuyo nombre no es Unicode válido.</translation>
    </message>
    <message>
        <source>There is no document in {place}.</source>
        <translation>No hay ningún documento en {place}.</translation>
    </message>
    <message>
        <source>Name another folder.</source>
        <translation>Indica otra carpeta.</translation>
    </message>
    <message>
        <source>documents measured</source>
        <translation>documentos medidos</translation>
    </message>
    <message>
        <source>documents</source>
        <translation>documentos</translation>
    </message>
    <message>
        <source>“{place}” holds no answers.</source>
        <translation>«{place}» no contiene respuestas.</translation>
    </message>
    <message>
        <source>“{place}” holds Parquet files that are no answers of a cluster.</source>
        <translation>«{place}» contiene archivos Parquet que no son respuestas de un clúster.</translation>
    </message>
    <message>
        <source>Name the folder that the cluster wrote.</source>
        <translation>Indica la carpeta que ha escrito el clúster.</translation>
    </message>
    <message>
        <source>Line {line} of {file} is no answer of a table.</source>
        <translation>La línea {line} de {file} no es una respuesta de una tabla.</translation>
    </message>
    <message>
        <source>Choose a table that was exported as JSON Lines.</source>
        <translation>Elige una tabla exportada como JSON Lines.</translation>
    </message>
    <message>
        <source>The cluster has no address.</source>
        <translation>El clúster no tiene dirección.</translation>
    </message>
    <message>
        <source>Give auto, local, or its address.</source>
        <translation>Indica auto, local o su dirección.</translation>
    </message>
    <message>
        <source>--cluster needs Ray, which is not installed.</source>
        <translation>--cluster necesita Ray, que no está instalado.</translation>
    </message>
    <message>
        <source>Switch that off to reach a cluster, or use --cluster local.</source>
        <translation>Desactívalo para acceder a un clúster, o usa --cluster local.</translation>
    </message>
    <message>
        <source>{what}, {failed:,} failed, {rate:,.0f} a minute</source>
        <translation>{what}, {failed:,} con error, {rate:,.0f} por minuto</translation>
    </message>
    <message>
        <source>The work on the cluster broke off: {reason}.</source>
        <translation>El trabajo en el clúster se ha interrumpido: {reason}.</translation>
    </message>
    <message>
        <source>Check that its nodes have Spanlight; started again, it goes on from there.</source>
        <translation>Comprueba que sus nodos tienen Spanlight; al iniciarlo de nuevo, continúa desde ahí.</translation>
    </message>
    <message>
        <source>Connecting to the cluster</source>
        <translation>Conectando con el clúster</translation>
    </message>
    <message>
        <source>The cluster “{address}” cannot be reached.</source>
        <translation>No se puede acceder al clúster «{address}».</translation>
    </message>
    <message>
        <source>Check its address, and that it has this computer&apos;s releases of Ray and Python.</source>
        <translation>Comprueba su dirección y que tenga las mismas versiones de Ray y Python que este ordenador.</translation>
    </message>
    <message>
        <source>Install it into Spanlight&apos;s environment: pip install &apos;spanlight[cluster]&apos;</source>
        <translation>Instálalo en el entorno de Spanlight: pip install &apos;spanlight[cluster]&apos;</translation>
    </message>
    <message>
        <source>Parquet files need pyarrow, which is not installed.</source>
        <translation>Los archivos Parquet necesitan pyarrow, que no está instalado.</translation>
    </message>
    <message>
        <source>“{place}” cannot be reached: {reason}.</source>
        <translation>No se puede acceder a «{place}»: {reason}.</translation>
    </message>
    <message>
        <source>“{place}” could not be listed</source>
        <translation>No se ha podido listar «{place}»</translation>
    </message>
    <message>
        <source>“{place}” could not be looked at</source>
        <translation>No se ha podido consultar «{place}»</translation>
    </message>
    <message>
        <source>“{file}” could not be read</source>
        <translation>No se ha podido leer «{file}»</translation>
    </message>
    <message>
        <source>“{place}” holds no answers of a cluster.</source>
        <translation>«{place}» no contiene respuestas de un clúster.</translation>
    </message>
    <message>
        <source>Name the folder that the cluster wrote, with its file {name}.</source>
        <translation>Indica la carpeta que ha escrito el clúster, con su archivo {name}.</translation>
    </message>
    <message>
        <source>“{file}” could not be written</source>
        <translation>No se ha podido escribir «{file}»</translation>
    </message>
    <message>
        <source>{failed}: {reason}.</source>
        <translation>{failed}: {reason}.</translation>
    </message>
    <message>
        <source>Free some space, check the permissions, or name another folder.</source>
        <translation>Libera espacio, comprueba los permisos o indica otra carpeta.</translation>
    </message>
    <message>
        <source>“{file}” has no column of texts “{column}”.</source>
        <translation>«{file}» no tiene ninguna columna de texto «{column}».</translation>
    </message>
    <message>
        <source>Its columns of texts are: {columns}.</source>
        <translation>Sus columnas de texto son: {columns}.</translation>
    </message>
    <message>
        <source>“{file}” has other columns than the files before it.</source>
        <translation>«{file}» tiene columnas distintas de las de los archivos anteriores.</translation>
    </message>
    <message>
        <source>Classify it by itself.</source>
        <translation>Clasifícalo por separado.</translation>
    </message>
    <message>
        <source>There are no texts in {place}.</source>
        <translation>No hay textos en {place}.</translation>
    </message>
    <message>
        <source>Name a Parquet file.</source>
        <translation>Indica un archivo Parquet.</translation>
    </message>
    <message numerus="yes">
        <source>“{file}” has {n} column of texts.</source>
        <comment>“{file}” has {n} columns of texts.</comment>
        <translation>
            <numerusform>«{file}» tiene {n} columna de texto.</numerusform>
            <numerusform>«{file}» tiene {n} columnas de texto.</numerusform>
        </translation>
    </message>
    <message>
        <source>Name the one to classify with --column.</source>
        <translation>Indica con --column la que se debe clasificar.</translation>
    </message>
    <message>
        <source>“{place}” holds other Parquet files: of other texts, of texts as they were before, or of another model.</source>
        <translation>«{place}» contiene otros archivos Parquet: de otros textos, de los textos como eran antes o de otro modelo.</translation>
    </message>
    <message>
        <source>Name another folder, or remove them.</source>
        <translation>Indica otra carpeta, o elimínalos.</translation>
    </message>
</context>
</TS>
