"""The tables of moffat2012 as printed, and what its short names of metrics stand for.

The row insq10 of Table 4(b) cannot be read in the text these figures were typed from, and is left out.
"""

import numpy as np

from irassay.arrays import Floats

NAMES = ("rr", "insq", "p10", "rbp73", "sdcg10", "p100", "rbp95", "sdcg100", "ap")  # rows and columns of Tables 1 and 2
ADAPTIVE = ("insq5", "insq10")  # rows of Tables 4 and 5
COMPARED = ("insq5", "insq10", "rr", "insq", "p10", "rbp95", "sdcg100", "ap")  # their columns

METRICS = {
    "rr": "RR",
    "insq": "INSQ(gain='binary')",
    "p10": "P@10",
    "rbp73": "RBP(p=0.73,gain='binary')",
    "sdcg10": "SDCG(gain='binary')@10",
    "p100": "P@100",
    "rbp95": "RBP(p=0.95,gain='binary')",
    "sdcg100": "SDCG(gain='binary')@100",
    "ap": "AP",
    "insq5": "aINSQ(T=5,gain='binary')",
    "insq10": "aINSQ(T=10,gain='binary')",
}

SYSTEMS = {"TREC-8": 129, "TREC-10": 97}
PAIRS = {"TREC-8": 8256, "TREC-10": 4656}
TOPICS = {"TREC-8": range(401, 451), "TREC-10": range(501, 551)}
TABLES = {"TREC-8": ("1", "4"), "TREC-10": ("2", "5")}  # compared by nine metrics, and by adaptive INSQ

FIGURE_2C = (1, 3, 4, 6, 8, 12, 14, 34, 37, 43, 64, 82, 86, 95)  # ranks of the relevant documents


def typed(text: str) -> Floats:
    """[row, column] a table typed as it is printed; a dash is no figure.

    >>> typed("1.5 -\\n2 3").tolist()
    [[1.5, nan], [2.0, 3.0]]
    """
    return np.array([[np.nan if word == "-" else float(word) for word in line.split()] for line in text.splitlines()])


# [metric, metric] percentages of system pairs: power on the diagonal, SSA above it, SSD below.
PART_A = {
    "TREC-8": typed("""\
55.6 53.8 51.2 52.9 52.4 49.1 51.6 51.5 50.2
 0.0 63.8 59.4 62.4 61.5 56.4 60.1 59.9 58.1
 0.0  0.0 64.5 61.1 62.7 59.1 63.3 62.2 60.4
 0.0  0.0  0.0 64.7 63.2 57.6 61.7 61.2 59.4
 0.0  0.0  0.0  0.0 64.9 58.5 62.7 62.0 60.0
 0.2  0.0  0.0  0.0  0.0 68.8 63.8 66.9 64.9
 0.0  0.0  0.0  0.0  0.0  0.0 69.1 67.2 64.3
 0.0  0.0  0.0  0.0  0.0  0.0  0.0 71.0 66.3
 0.3  0.0  0.0  0.0  0.0  0.0  0.0  0.0 72.5"""),
    "TREC-10": typed("""\
49.9 46.6 43.2 45.9 45.3 35.7 42.2 40.6 40.1
 0.0 55.5 50.7 54.2 53.2 41.3 49.8 47.4 46.3
 0.0  0.0 58.8 53.5 55.6 44.5 54.3 50.8 49.3
 0.0  0.0  0.0 58.0 56.2 42.8 52.1 49.2 47.9
 0.0  0.0  0.0  0.0 58.6 44.1 53.4 50.5 48.8
 0.5  0.2  0.2  0.2  0.2 54.1 49.8 52.3 49.3
 0.1  0.0  0.0  0.1  0.1  0.0 62.7 56.6 55.1
 0.2  0.1  0.1  0.1  0.1  0.0  0.0 60.0 53.2
 0.5  0.1  0.1  0.1  0.1  0.0  0.0  0.0 62.5"""),
}

# [metric, metric] class agreements: by the caption of what differs above the diagonal, of what does not below.
PART_B = {
    "TREC-8": typed("""\
   - 85.3 77.7 81.8 80.2 65.9 71.4 68.0 62.1
90.0    - 86.8 94.8 92.0 70.9 81.1 77.2 68.4
85.2 92.6    - 90.3 94.2 77.4 89.5 83.1 74.3
87.9 97.1 94.7    - 95.5 72.5 84.1 79.3 70.7
87.0 95.6 96.8 97.5    - 74.8 86.8 81.3 72.1
79.2 85.2 88.7 86.3 87.5    - 83.4 90.0 80.4
82.8 90.4 94.8 92.2 93.5 92.5    - 90.5 77.7
81.4 88.9 91.9 90.2 91.2 95.7 95.9    - 81.1
78.7 85.3 88.2 86.6 87.3 91.9 90.8 92.5    -"""),
    "TREC-10": typed("""\
   - 87.1 75.6 82.7 80.4 67.1 68.2 68.6 64.4
88.4    - 84.9 94.1 91.0 70.6 77.5 75.8 69.3
79.5 88.7    - 88.5 92.6 73.0 83.8 79.1 71.4
85.2 95.5 91.8    - 95.0 70.5 79.4 76.4 69.3
83.5 93.3 94.8 96.4    - 72.4 81.6 78.8 70.2
69.3 75.6 79.1 76.8 78.5    - 79.3 88.9 78.4
75.2 84.4 89.5 86.5 88.0 85.3    - 87.7 79.8
74.2 82.2 85.7 83.5 85.4 91.7 92.3    - 79.3
72.0 78.6 81.4 79.7 80.6 84.6 87.9 86.9    -"""),
}

# [adaptive metric, metric] Tables 4(a) and 5(a): SSA, and the power of the two in their own columns.
ADAPTIVE_A = {
    "TREC-8": typed("""\
67.5 65.9 52.4 61.9 63.3 64.9 64.2 62.1
   - 69.0 51.8 60.8 63.9 67.6 66.6 64.2"""),
    "TREC-10": typed("""\
60.8 58.0 44.5 52.6 54.9 55.9 52.0 50.9
   - 61.6 42.7 50.7 54.5 58.6 54.4 53.1"""),
}

# [adaptive metric, metric] Tables 4(b) and 5(b): class agreements of what differs.
ADAPTIVE_B = {
    "TREC-8": typed("""\
- 96.6 85.1 94.3 96.0 95.0 92.7 88.7
-    -    -    -    -    -    -    -"""),
    "TREC-10": typed("""\
- 94.8 80.4 90.5 91.8 90.6 86.1 82.4
-    - 76.6 86.7 90.5 94.4 89.5 85.5"""),
}
