"""What Chen and Sakai (2023) print: the grid of Table 1, intervals of Figure 1, and the consistencies of Table 3."""

MODELS = ("Precision", "DCG", "RBP", "INST", "AP", "ERR")
AGGREGATIONS = ("ERG", "ETG", "AVG", "MAX", "FIN", "PE", "ERR")
CONSTANT = ("Precision", "DCG", "RBP")  # with the aggregation ERR, Table 1
CANONICAL = {model: "ERR" if model == "ERR" else "ERG" for model in MODELS}

# Table 2: runs and topics.
COLLECTIONS = {"WWW3": (39, 80), "TR19DL": (38, 43)}

# Table 3: mean tau over 1,000 splits.
TABLE_3: dict[str, dict[str, dict[str, float]]] = {
    "WWW3": {
        "Precision": {"ERG": 0.755, "ETG": 0.755, "AVG": 0.755, "PE": 0.641, "MAX": 0.600, "FIN": 0.552},
        "DCG": {"ERG": 0.763, "ETG": 0.763, "FIN": 0.744, "AVG": 0.735, "PE": 0.734, "MAX": 0.687},
        "RBP": {"FIN": 0.765, "ERG": 0.762, "ETG": 0.762, "PE": 0.745, "AVG": 0.740, "MAX": 0.681},
        "INST": {"ERG": 0.760, "FIN": 0.757, "ETG": 0.753, "PE": 0.732, "AVG": 0.723, "ERR": 0.692, "MAX": 0.682},
        "AP": {"ETG": 0.756, "ERG": 0.753, "AVG": 0.721, "FIN": 0.706, "PE": 0.690, "MAX": 0.668, "ERR": -0.090},
        "ERR": {"ERG": 0.723, "ERR": 0.701, "AVG": 0.701, "ETG": 0.672, "FIN": 0.666, "PE": 0.651, "MAX": 0.619},
    },
    "TR19DL": {
        "Precision": {"ERG": 0.643, "ETG": 0.643, "AVG": 0.643, "MAX": 0.490, "PE": 0.430, "FIN": 0.276},
        "DCG": {"PE": 0.651, "ERG": 0.644, "ETG": 0.644, "AVG": 0.638, "MAX": 0.614, "FIN": 0.612},
        "RBP": {"PE": 0.702, "ERG": 0.674, "ETG": 0.674, "FIN": 0.667, "AVG": 0.657, "MAX": 0.639},
        "INST": {"ETG": 0.688, "PE": 0.673, "FIN": 0.670, "ERG": 0.669, "AVG": 0.628, "MAX": 0.619, "ERR": 0.585},
        "AP": {"ERG": 0.691, "ETG": 0.655, "AVG": 0.641, "FIN": 0.568, "PE": 0.557, "MAX": 0.546, "ERR": 0.067},
        "ERR": {"ETG": 0.587, "ERG": 0.573, "ERR": 0.572, "AVG": 0.544, "FIN": 0.499, "PE": 0.478, "MAX": 0.448},
    },
}

# Figure 1: tau of every two aggregations in thousandths, in the order ETG ERG AVG MAX FIN PE ERR, a row for each with
# those that follow it. Rankings that are the same have a dash in print and 1000 here. The panels of INST, AP and ERR on
# TR19DL are illegible in our copy of the paper.
_TAU = {
    ("WWW3", "Precision"): "1000 1000 784 827 846, 1000 784 827 846, 784 827 846, 719 825, 895",
    ("WWW3", "DCG"): "1000 957 895 943 935, 957 895 943 935, 927 949 968, 897 949, 949",
    ("WWW3", "RBP"): "1000 973 903 987 960, 973 903 987 960, 914 960 949, 889 943, 946",
    ("WWW3", "INST"): "981 954 908 981 962 911, 968 911 995 965 924, 933 973 965 957, 916 946 927, 970 930, 938",
    ("WWW3", "AP"): "924 900 857 892 876 209, 965 884 930 908 274, 887 916 911 304, 949 976 266, 973 269, 279",
    ("WWW3", "ERR"): "841 827 819 854 835 835, 954 860 911 887 908, 868 892 879 933, 922 962 827, 960 857, 838",
    ("TR19DL", "Precision"): "1000 1000 741 545 752, 1000 741 545 752, 741 545 752, 400 676, 724",
    ("TR19DL", "DCG"): "1000 826 795 886 861, 826 795 886 861, 923 838 920, 795 917, 920",
    ("TR19DL", "RBP"): "1000 926 849 954 917, 926 849 954 917, 883 898 912, 815 920, 920",
}

# Figure 1: each tau of a panel with the ends of its interval, in thousandths. Our copy of the paper mixes figures of
# neighbouring cells: where a cell has several readings, one that agrees with the formula was taken, and where none does
# it has question marks.
_FIGURE_1 = {
    ("Precision", "WWW3"): "784 684 855, 827 744 885, 846 771 898, 719 596 809, 825 741 883, 895 841 931",
    ("DCG", "WWW3"): "957 934 972, 895 841 931, 943 914 963, 935 901 958, 927 ? ?, 949 922 967, 968 950 979, "
    "897 845 933",
    ("RBP", "WWW3"): "973 958 982, 903 853 936, 987 979 991, 960 938 974, 914 869 943, 949 ? ?, 889 ? ?, "
    "943 ? ?, 946 ? ?",
    ("Precision", "TR19DL"): "741 624 826, 545 370 682, 752 639 834, 400 198 569, 676 ? ?, 724 600 814",
    ("DCG", "TR19DL"): "826 742 885, 795 698 864, 886 828 926, 861 791 908, 923 883 950, 838 758 893, 920 ? ?, "
    "917 874 946",
    ("RBP", "TR19DL"): "926 887 952, 849 774 901, 954 930 971, 917 874 946, 883 ? ?, 898 845 933, 912 ? ?, "
    "815 726 877, 920 ? ?, 895 ? ?",
    ("INST", "WWW3"): "981 971 988, 954 930 970, 908 861 940, 962 942 975, 911 865 942, 968 950 979, 995 992 997, "
    "965 946 977, 924 885 951, 933 ? ?, 973 ? ?, 957 934 972, 916 873 945, 946 918 965, 927 889 952, "
    "970 954 981, 930 893 954, 938 905 959",
    ("AP", "WWW3"): "924 885 951, 900 849 934, 857 787 905, 892 838 929, 876 814 918, 209 -7 406, 965 946 977, "
    "884 826 924, 930 893 954, 908 ? ?, 274 62 462, 887 830 925, 916 873 945, 911 ? ?, 304 94 487, "
    "949 922 967, 266 53 455, 279 68 467, 973 958 982, 269 56 458, 976 963 984",
    ("ERR", "WWW3"): "841 764 894, 827 744 885, 819 733 879, 854 783 903, 835 756 891, 954 ? ?, 860 ? ?, "
    "911 865 942, 887 830 925, 908 861 940, 868 802 913, 892 838 929, 879 818 920, 933 897 956, 922 881 949, "
    "962 ? ?, 960 ? ?, 857 787 905, 838 760 892",
}


def taus(collection: str) -> dict[str, dict[tuple[str, str], float]]:
    """tau of every two aggregations, in either order, under each browsing model that can be read.

    >>> taus("TR19DL")["RBP"]["FIN", "ERG"]
    0.954
    """
    order = ("ETG", "ERG", "AVG", "MAX", "FIN", "PE", "ERR")
    found: dict[str, dict[tuple[str, str], float]] = {}
    for (name, model), text in _TAU.items():
        if name == collection:
            rows = [[int(value) / 1000 for value in row.split()] for row in text.split(", ")]
            pairs = {(order[i], order[i + 1 + j]): value for i, row in enumerate(rows) for j, value in enumerate(row)}
            found[model] = {**pairs, **{(b, a): value for (a, b), value in pairs.items()}}
    return found


def intervals() -> list[tuple[str, str, float, float | None, float | None]]:
    """Browsing model, collection, tau and the ends of its interval if legible, of every distinct tau of a panel.

    >>> intervals()[0]
    ('Precision', 'WWW3', 0.784, 0.684, 0.855)
    """
    found = []
    for (model, collection), text in _FIGURE_1.items():
        for triple in text.split(", "):
            tau, *ends = triple.split()
            low, high = (None if end == "?" else int(end) / 1000 for end in ends)
            found.append((model, collection, int(tau) / 1000, low, high))
    return found
