"""Board-game rules as text. All of the program is imported below this one name.

Where the distribution is installed its parts lie in this folder. In a checkout they lie at the top, where people look
for them, and are found there (`__path__`).
"""

import os

_here = os.path.dirname(__file__)
if not os.path.isdir(os.path.join(_here, "interpreter")):
    __path__.append(os.path.dirname(os.path.dirname(_here)))
