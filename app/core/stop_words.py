"""Stop words: too common to help to find where a question is answered."""

from __future__ import annotations

# Common words of questions in European languages.
STOP_WORDS = frozenset(
    """
    a about all also am an and any are as at be been being but by can could did do does doing done for from had has have
    having he her hers him his how i if in into is it its itself many may me might much must my no not of on one or our
    out over shall she should so some such than that the their them then there these they this those through to under
    up upon us was we were what when where which while who whom whose why will with would you your
    aber als am an auch auf aus bei bin bis da das dass dem den der des die du ein eine einem einen einer er es für hat
    hatte ich ihr im in ist man mit nach nicht oder sich sie sind über um und unter vom von vor wann war waren warum was
    welche welchem welchen welcher welches wem wen wenn wer wie wieso wird wo wurde wurden zu zum zur
    au aux avec ce ces cette combien comment dans de des du elle elles en est et était il ils la le les leur lui mais ne
    où ou par pas pour pourquoi quand que quel quelle quelles quels qui quoi sa se ses son sont sur un une été a-t-il
    al como cómo con cuál cuales cuando cuándo cuánto cuántos de del desde dónde donde el ella ellos en era es esta está
    este fue ha la las lo los más no o para pero por porque qué que quién quien quienes se ser si sin su sus un una y
    alla che chi come con cosa cui da dal dei del della delle di dove e è gli ha ho i il in io la le lo ma nel nella non
    o per perché più quale quali quando quanti quanto se si sono sua suo tra un una
    ao aos às até com como da das de do dos e ela ele em era foi mais na nas no nos o onde os ou para pela pelo por qual
    quais quando quantos que quem se seu sua são um uma
    aan bij dan dat de den der die dit door een en er had heeft het hij hoe hoeveel ik in is je kan met naar niet of om
    ook op te tot uit van veel voor waar waarom wanneer waren was wat wel welk welke werd wie wordt zijn
    """.split()
)
