"""What Albahem, Spina, Scholer and Cavedon (2019) print in their Tables 1 to 4, and where their data are."""

from irassay.papers.published import DataFile

_AT = "https://raw.githubusercontent.com/aalbahem/ir-eval-meta-analysis/"
_BY = "by the authors of albahem2019, in aalbahem/ir-eval-meta-analysis"

SCORES_2016 = DataFile(
    "trec-all-2016-evals.csv",
    _AT + "52b762f98f2f7bf52ca6e4e5d8319f1ba3565807/data/evals/2016/trec-all-2016-evals.csv",
    "3b488b64523ac04018f25462406067923c90595016433a73936387de9d42d10d",
    f"scores of the TREC Dynamic Domain 2016 runs {_BY}",
)
SCORES_2017 = DataFile(
    "trec-all-2017-evals.csv",
    _AT + "200318a9a17981deffca3226091a2e2e3f19ff93/data/evals/trec-dd/2017/trec-all-2017-evals.csv",
    "7aeadb43b1b799458fec51226d912b4070187578d6c4d7a128028023f44bd11d",
    f"scores of the TREC Dynamic Domain 2017 runs {_BY}",
)
TESTS_2015 = DataFile(
    "metric-intuitiveness-test-2015.csv",
    _AT + "200318a9a17981deffca3226091a2e2e3f19ff93/data/evals/trec-dd/2015/metric-intuitiveness-test-2015.csv",
    "e3e1dcaee0c34a69dba89ce4ece1bea5aa74f4052785c9418fbaaf5467565374",
    f"counts of the intuitiveness test on TREC Dynamic Domain 2015 {_BY}",
)
UNANIMITY_2015 = DataFile(
    "trec-2015-mu-simple-metrics.csv",
    _AT + "88e1461be0625be8a1bfcd1f9a84a21c8cfa3619/data/evals/trec-dd/2015/trec-2015-mu-simple-metrics.csv",
    "3984252c2a8bda26f38ad6f9a8458366050f7ce41d81d431c0dc3fad2e914d17",
    f"metric unanimity on TREC Dynamic Domain 2015 {_BY}",
)

# The metrics as the paper and as the authors' files call them.
COMPLEX = {
    "ACT": "act",
    "nCT": "nct",
    "nEU": "nEU",
    "nsDCG": "nsDCG",
    "α-nDCG": "alpha-nDCG",
    "nERR-IA": "nERR-IA",
    "RBU": "rbu_0.990_0.050",
}
METRICS = tuple(COMPLEX)
# The dimensions, and the simple metrics that stand for them.
SETS = {
    "Rel": ("p",),
    "Div": ("strec",),
    "Eff": ("ttime",),
    "Rel and Div": ("strec", "p"),
    "Rel and Div and Eff": ("strec", "p", "ttime"),
}
EFFORTS = {"tot-time": ("ttime",), "r-it": ("rtime",), "neg-it": ("ntime",)}
COLUMNS = ("1", "3", "10", "All")

RUNS = {"2015": 32, "2016": 21, "2017": 11}
TOPICS = {"2015": 118, "2016": 53, "2017": 60}

# Table 1: the metric in the row against each that follows it, at iterations 1 and 10.
TABLE_1: dict[str, dict[str, tuple[str, ...]]] = {
    "1": {
        "ACT": (
            "0.0084/0.0823+ (4.27%)",
            "0.0215/0.0135 (14.65%)",
            "0.0128/0.0171 (4.23%)",
            "0.0044/0.0558+ (6.14%)",
            "0.0212/0.0466+ (6.38%)",
            "0.0077/0.0694+ (5.84%)",
        ),
        "nCT": (
            "0.0307+/0.0028 (15.86%)",
            "0.0684+/0.0143 (5.67%)",
            "0.0284/0.0269 (6.04%)",
            "0.0440+/0.0214 (7.18%)",
            "0.0049/0.0245 (1.84%)",
        ),
        "nEU": (
            "0.0118/0.0206 (15.34%)",
            "0.0056/0.0302+ (17.63%)",
            "0.0105/0.0268+ (17.18%)",
            "0.0031/0.0303+ (17.53%)",
        ),
        "nsDCG": ("0.0042/0.0506+ (6.42%)", "0.0192/0.0410+ (6.59%)", "0.0130/0.0746+ (5.56%)"),
        "α-nDCG": ("0.1126+/0.0000 (1.36%)", "0.0195/0.0265 (6.47%)"),
        "nERR-IA": ("0.0155/0.0418+ (7.55%)",),
    },
    "10": {
        "ACT": (
            "0.0019/0.0405+ (14.47%)",
            "0.0315+/0.0235 (36.90%)",
            "0.0357/0.0279 (24.23%)",
            "0.0255/0.0330 (20.51%)",
            "0.0473+/0.0193 (18.68%)",
            "0.0173/0.0192 (29.64%)",
        ),
        "nCT": (
            "0.0349+/0.0114 (36.40%)",
            "0.0355+/0.0121 (31.98%)",
            "0.0259+/0.0126 (30.68%)",
            "0.0424+/0.0058 (29.54%)",
            "0.0293+/0.0015 (18.16%)",
        ),
        "nEU": (
            "0.0210/0.0242 (34.70%)",
            "0.0158/0.0279+ (36.54%)",
            "0.0306/0.0244 (36.27%)",
            "0.0258/0.0356+ (35.68%)",
        ),
        "nsDCG": ("0.0226/0.0533+ (11.16%)", "0.0560+/0.0330 (14.48%)", "0.0189/0.0240 (48.10%)"),
        "α-nDCG": ("0.1291+/0.0017 (5.24%)", "0.0195/0.0174 (46.15%)"),
        "nERR-IA": ("0.0146/0.0278+ (43.85%)",),
    },
}

# Tables 2 and 3: ranks at iterations 1, 3, 10 and over all, in the order of SETS. The last block of Table 2 has five
# columns in our copy of the paper; its column of iteration 10 was chosen as the reading that leaves no rank out and
# gives Table 4.
TABLE_2 = {
    "ACT": "4513 4544 4434 5435 4424",
    "nCT": "3312 2363 2322 2354 1111",
    "nEU": "6667 6755 1133 6546 5466",
    "nsDCG": "1121 5422 6667 5212 4455",
    "α-nDCG": "1234 1111 5656 1111 1332",
    "nERR-IA": "5456 3232 3545 4323 3466",
    "RBU": "2345 2676 2211 3467 2243",
}
TABLE_3 = {
    "ACT": "5524 5355 2344 6525 6433",
    "nCT": "1111 1163 1222 1111 1111",
    "nEU": "6457 7546 1133 7446 5344",
    "nsDCG": "4242 6424 4577 5233 7677",
    "α-nDCG": "2333 2111 3566 2212 3555",
    "nERR-IA": "3445 4232 2455 3334 4766",
    "RBU": "5466 3577 1211 4457 2222",
}
# Table 4, in the order of SETS.
TABLE_4 = {
    "1": ("0.44", "0.94*", "0.96*", "0.92*", "0.82*"),
    "3": ("0.71", "0.89*", "0.99*", "0.75", "0.71"),
    "10": ("0.80*", "0.96*", "0.99*", "0.39", "0.65"),
    "All": ("0.89*", "0.94*", "1.00*", "0.79*", "0.61"),
}


def ranks(table: dict[str, str], chosen: str, column: str) -> list[int]:
    """[metric] the ranks of one column.

    >>> ranks(TABLE_3, "Div", "10")
    [5, 6, 4, 2, 1, 3, 7]
    """
    block, place = list(SETS).index(chosen), COLUMNS.index(column)
    return [int(table[metric].split()[block][place]) for metric in METRICS]
