"""What Jiang and Allan (2016) print: their tables, tuned parameters and marks, and the folds of their experiment."""

import numpy as np

from irassay.metrics.grids import grid
from irassay.papers.published import DataFile

_AT = "https://raw.githubusercontent.com/jiepujiang/ir_metrics/623a2b1ea29840b2b72c2df2506c6f42ba87d3ed/"
_BY = "of the user study of jiang2016, published by its authors in jiepujiang/ir_metrics"

SESSION = DataFile(
    "data/session",
    _AT + "data/session",
    "6180cd84fbd477b797d3eaa5b6ec71b676ab75ba71b2ba05a8532f7787068c3c",
    f"users, tasks and ratings of 80 sessions {_BY}",
)
RESULTS = DataFile(
    "data/results",
    _AT + "data/results",
    "c56e92b2f201251aa29468b78b7374fd2b80be1ddf91bac094a788f762cebf4a",
    f"results of 388 queries {_BY}",
)
QRELS = DataFile(
    "data/qrels",
    _AT + "data/qrels",
    "c8dbb050ce394ca3c981f4ba5863463f849e59781e6ff72f1bf3653574c15201",
    f"judgements by session {_BY}",
)

# Section 4: how many sessions have each rating, 5 being "very well".
RATINGS = {5: 22, 4: 27, 3: 22, 2: 7, 1: 2}

# Table 2, by grade: chance of a click, seconds after a click, expected seconds; and the efforts of Section 3.1.
SUMMARY = 4.4
CLICK = (0.26, 0.50, 0.55)
AFTER_CLICK = (20.6, 37.1, 60.3)
SECONDS = (9.8, 23.0, 37.6)
EFFORT = (0.26, 0.61, 1.0)

# Section 5.1: what was tuned to the ratings.
TUNED = {
    "TBG h": 31,
    "TBG P_save(1)": 0.2,
    "TBG P_save(2)": 0.8,
    "U T": 99,
    "esNDCG P_down": 0.7,
    "esNDCG P_reform": 0.8,
}

EFFORTS = ("static", "e = 4", "time")
BLOCKS = {
    "A": ("P@k", "AP", "RR"),
    "B": ("GP@k", "GAP"),
    "C": ("RBP, p = 0.8", "RBP, p = 0.6"),
    "D": ("GRBP, p = 0.8", "GRBP, p = 0.6", "ERR", "DCG", "nDCG"),
}
ADAPTIVE = tuple(name for block in BLOCKS.values() for name in block)
SINGLE = ("TBG", "U-measure", "sDCG", "nsDCG", "esNDCG")

# Table 3: Pearson's r and NRMSE with static effort, e = 4 and time.
CORRELATION: dict[str, tuple[float, ...]] = {
    "P@k": (0.326, 0.295, 0.228),
    "AP": (0.065, 0.062, 0.054),
    "RR": (0.208, 0.236, -0.052),
    "GP@k": (0.371, 0.371, 0.364),
    "GAP": (0.062, 0.061, 0.055),
    "RBP, p = 0.8": (0.331, 0.324, 0.201),
    "RBP, p = 0.6": (0.305, 0.335, 0.154),
    "GRBP, p = 0.8": (0.405, 0.440, 0.421),
    "GRBP, p = 0.6": (0.402, 0.463, 0.444),
    "ERR": (0.385, 0.427, 0.375),
    "DCG": (0.398, 0.424, 0.418),
    "nDCG": (0.352, 0.398, 0.404),
    "TBG": (0.440,),
    "U-measure": (0.445,),
    "sDCG": (0.009,),
    "nsDCG": (0.350,),
    "esNDCG": (0.355,),
}
ERROR: dict[str, tuple[float, ...]] = {
    "P@k": (0.246, 0.249, 0.253),
    "AP": (0.257, 0.257, 0.257),
    "RR": (0.253, 0.251, 0.256),
    "GP@k": (0.241, 0.241, 0.243),
    "GAP": (0.257, 0.257, 0.257),
    "RBP, p = 0.8": (0.245, 0.246, 0.253),
    "RBP, p = 0.6": (0.247, 0.245, 0.255),
    "GRBP, p = 0.8": (0.237, 0.233, 0.236),
    "GRBP, p = 0.6": (0.238, 0.230, 0.233),
    "ERR": (0.240, 0.236, 0.242),
    "DCG": (0.238, 0.235, 0.237),
    "nDCG": (0.243, 0.238, 0.238),
    "TBG": (0.234,),
    "U-measure": (0.233,),
    "sDCG": (0.258,),
    "nsDCG": (0.243,),
    "esNDCG": (0.244,),
}

# Table 3, marks of NRMSE: e = 4 and time against static effort, and e = 4 against time.
NONE = "–"
MARKS: dict[str, tuple[str, str, str]] = {
    "P@k": ("↑↑", "↑↑↑", "**"),
    "AP": (NONE, NONE, NONE),
    "RR": (NONE, NONE, "*"),
    "GP@k": (NONE, "↑", NONE),
    "GAP": (NONE, NONE, NONE),
    "RBP, p = 0.8": (NONE, "↑↑↑", "***"),
    "RBP, p = 0.6": (NONE, "↑↑↑", "***"),
    "GRBP, p = 0.8": ("↓", NONE, "*"),
    "GRBP, p = 0.6": ("↓↓↓", "↓↓", "*"),
    "ERR": ("↓↓", NONE, "***"),
    "DCG": (NONE, NONE, NONE),
    "nDCG": ("↓↓↓", "↓↓", NONE),
}
# Marks of the others against GRBP with p = 0.6 and e = 4.
DAGGERS = {"TBG": "†††", "U-measure": "†", "sDCG": "†††", "nsDCG": "†††", "esNDCG": "†"}

# The fold of each of the 80 sessions, in ascending order, in ten random partitions; the authors' program drew them
# with seed 0, anew for every metric.
_FOLDS = (
    "49707431668575114296082395502043741056545088916170687920373832499319165823467228",
    "31605148281336759121308390578562276540375625704602464594613281704899808977399214",
    "88253567503898939041416314201176832973495905202167722568585419603436170294048776",
    "08721899594207058639481312945317463757367794568272060459824236191501304668120583",
    "45281495957833068005375884247373180718313209765529794392714590801246606216126694",
    "22628130079481686965840551444775512019911023863339733256587404865062991798403772",
    "13256269262040905924543836727714741213310719185400559589835867708162679486403893",
    "90525794640105087251906108817748828841677445359246225293106933687935437266313091",
    "58338851212961499723557920874832792109143443626417665858247036900011497750856063",
    "71090755658832614405843717896248326732694994520103621320094852317537085641789691",
)
FOLDS = np.array([[int(digit) for digit in partition] for partition in _FOLDS])  # [partition, session]


def metrics() -> dict[str, str]:
    """The metric that each row of Table 3 is, with its effort where it has three.

    >>> metrics()["GRBP, p = 0.6, e = 4"]
    "GRBP(p=0.6,effort=(0.25,1,1),end='list')@9"
    """
    called = [f"{name}, {effort}" for effort in EFFORTS for name in ADAPTIVE]
    return dict(zip((*called, *SINGLE), grid("effort").metrics, strict=True))
