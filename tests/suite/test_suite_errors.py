"""Every mistake in a suite gives one line: file, key, value, remedy."""

import pytest

from pubench.errors import SuiteError
from pubench.suite import parse_suite

DATASET = '[[datasets]]\nuse = "breast-cancer"\n'
LABELLING = '[[labellings]]\nscenario = "case-control"\npositives = 100\n'
ALGORITHM = '[[algorithms]]\nuse = "wlr"\n'
MINIMAL = f'name = "x"\n{DATASET}{LABELLING}{ALGORITHM}'


def problems(text: str) -> list[str]:
    with pytest.raises(SuiteError) as caught:
        parse_suite(text, "x.toml")
    return str(caught.value).splitlines()


# One change to the minimal suite, and the line it must give.
NUMBER = '{ dataset = "breast-cancer", algorithm = "wlr", metric = "f1", mean = 1.0 }'
PAPER = f'[paper]\ncitation = "c"\nnumbers = [{NUMBER}]\n'
WRONG = [
    ("[[datasets]]", "[report]\nalpha = 1.0\n[[datasets]]", "report.alpha = 1.0: must lie between 0 and 1"),
    ("[[datasets]]", "[report]\nrope = -1\n[[datasets]]", "report.rope = -1: must be at least 0;"),
    (
        "[[datasets]]",
        '[report]\ntest = "t"\nmissing = "worst-rank"\n[[datasets]]',
        'report.missing = "worst-rank": gives test = "t" no differences',
    ),
    (
        "[[datasets]]",
        '[report]\ncontrol = "wlr"\ncomparisons = "all-pairs"\n[[datasets]]',
        'report.control = "wlr": excludes comparisons = "all-pairs", which tests all pairs; remove it',
    ),
    (
        "[[datasets]]",
        '[report]\ncontrol = "wrl"\n[[datasets]]',
        'report.control = "wrl": is not a label under algorithms; did you mean',
    ),
    ("[[datasets]]", "[report]\ndetectable = 0\n[[datasets]]", "report.detectable = 0: must be more than 0"),
    (
        "[[datasets]]",
        PAPER.replace('citation = "c"\n', "") + "[[datasets]]",
        "paper.citation: is missing; add citation",
    ),
    (
        "[[datasets]]",
        f"{PAPER.replace('wlr', 'wrl')}[[datasets]]",
        "paper.numbers[0].algorithm = \"wrl\": is not among the algorithms of this suite's tables; did you mean 'wlr'?",
    ),
    (
        "[[datasets]]",
        f"{PAPER.replace('f1', 'f2')}[[datasets]]",
        'paper.numbers[0].metric = "f2": is not among the metrics of this suite\'s tables; known: accuracy, f1',
    ),
    (
        "[[datasets]]",
        f'{PAPER}separate = [{{ algorithm = "wrl", reason = "r" }}]\n[[datasets]]',
        'paper.separate[0].algorithm = "wrl": is not among the algorithms of this suite\'s tables; did you mean '
        "'wlr'?",
    ),
    (
        "[[datasets]]",
        f'{PAPER}missing = [{{ what = "w", cells = 0, reason = "r" }}]\n[[datasets]]',
        "paper.missing[0].cells = 0: must be at least 1",
    ),
    (
        "[[datasets]]",
        f"{PAPER.replace('breast-cancer', 'brest-cancer')}[[datasets]]",
        'paper.numbers[0].dataset = "brest-cancer": is not among the datasets of this suite\'s tables; did you',
    ),
    (
        "[[datasets]]",
        f"{PAPER.replace(NUMBER, f'{NUMBER}, {NUMBER}')}[[datasets]]",
        "paper.numbers[1]: repeats numbers[0]; remove one of the two",
    ),
    (
        "[[datasets]]",
        f'{PAPER}separate = [{{ metric = "accuracy", reason = "r" }}]\n[[datasets]]',
        "paper.separate[0]: matches none of the numbers; fix it or remove it",
    ),
    (
        "positives = 100",
        "positives = -3",
        "labellings[0].positives = -3: must be a whole number of at least 1",
    ),
    ("positives = 100", 'positives = "5"', 'labellings[0].positives = "5": must be a whole number'),
    ("positives = 100", "positives = true", "labellings[0].positives = true: must be a whole number"),
    ("positives = 100", "positives = 5.0", "labellings[0].positives = 5.0: must be a whole number"),
    ("positives = 100", "frequency = 0.0", "labellings[0].frequency = 0.0: must be more than 0;"),
    ("positives = 100", "frequency = 1.1", "labellings[0].frequency = 1.1: must be at most 1;"),
    ("positives = 100", "frequency = nan", "labellings[0].frequency = NaN: must be a finite number"),
    ("positives = 100", "positives = 1\nfrequency = 0.5", "labellings[0]: needs either positives"),
    (
        "positives = 100",
        "",
        "labellings[0]: needs either positives (a count) or frequency (a share), but neither",
    ),
    (
        "positives = 100",
        "positives = 1\ntest = 1.0",
        "labellings[0].test = 1.0: must be a share between 0 and 1",
    ),
    ("positives = 100", "positives = 1\ntest = true", "labellings[0].test = true: must be a share"),
    ("positives = 100", 'positives = 1\ntest = "gven"', 'labellings[0].test = "gven": must be a share'),
    ("positives = 100", "positives = 1\nsar = {}", "labellings[0].sar: has no effect here; add mechanism"),
    (
        "positives = 100",
        'positives = 1\nmechanism = "sar"\nsar = { strenght = 1 }',
        "labellings[0].sar.strenght = 1: unknown key; did you mean 'strength'?",
    ),
    (
        "positives = 100",
        'positives = 1\ntest = "given"\ntest_from = "unlabelled"',
        'labellings[0].test = "given": cannot be "given"',
    ),
    (
        "positives = 100",
        'positives = "given"\nmechanism = "sar"',
        'labellings[0].mechanism = "sar": cannot be "sar" with positives = "given"',
    ),
    (
        "positives = 100",
        'positives = "given"\nmechanism = ["sar"]',
        'labellings[0].mechanism = ["sar"]: must be',
    ),
    (
        "positives = 100",
        'positives = "given"\ntest_from = "unlabelled"',
        'labellings[0].test_from = "unlabelled": cannot be "unlabelled" with positives = "given"',
    ),
    (
        '"case-control"\n',
        '"single-training-set"\ntest_from = "unlabelled"\n',
        'labellings[0].test_from = "unlabelled": is for case-control data',
    ),
    (
        '"case-control"',
        '"cc"',
        "labellings[0].scenario = \"cc\": must be 'case-control' or 'single-training-set'",
    ),
    ('scenario = "case-control"', "", 'labellings[0].scenario: is missing; add scenario = "case-control"'),
    ('use = "wlr"', "", 'algorithms[0].use: is missing; add use = "wlr"'),
    ('use = "wlr"', "use = 3", "algorithms[0].use = 3: must be text; put it in quotes"),
    ('use = "wlr"', 'use = ""', 'algorithms[0].use = "": must not be empty'),
    ('use = "wlr"', 'use = "a\\nb"', 'algorithms[0].use = "a\\nb": must be one line'),
    ('use = "wlr"', 'use = "wlr"\ntune = "yes"', 'algorithms[0].tune = "yes": must be true or false'),
    ('use = "wlr"', 'use = "wlr"\nparam = {}', "algorithms[0].param: unknown key; did you mean 'params'?"),
    ('use = "wlr"', 'use = "wlr"\nparams = 3', "algorithms[0].params = 3: must be a table"),
    ('use = "wlr"', 'use = "wlr"\nparams = { d = 2020-01-01 }', "algorithms[0].params: contains a value"),
    ('use = "wlr"', 'use = "wlr"\nparams = { d = [inf] }', "algorithms[0].params: contains a value"),
    (
        'use = "wlr"',
        'use = "wlr"\nsearch = { c = [1] }',
        "algorithms[0].search: has no effect here; add tune = true",
    ),
    ('use = "breast-cancer"', 'use = "a"\npositive = "m"', 'datasets[0].positive = "m": must be a list'),
    (
        'use = "breast-cancer"',
        'use = "a"\npositive = []',
        "datasets[0].positive = []: must be a list of classes",
    ),
    (
        'use = "breast-cancer"',
        'use = "a"\npositive = [1.5]',
        "datasets[0].positive = [1.5]: must be the name",
    ),
    (
        'use = "breast-cancer"',
        'use = "a"\npositive = [1, "1"]',
        "datasets[0].positive = [1, \"1\"]: lists '1' twice",
    ),
    (
        'use = "breast-cancer"',
        'use = "a"\npositive = [1]\nnegative = [1]',
        "datasets[0].negative = [1]: '1' is",
    ),
    (
        'use = "breast-cancer"',
        'use = "a"\nsample = { positive = 0 }',
        "datasets[0].sample.positive = 0: must be at",
    ),
    ('use = "breast-cancer"', 'use = "a"\npreprocess = 1', "datasets[0].preprocess = 1: must be a table"),
    (
        'use = "breast-cancer"',
        'use = "a"\npreprocess = { scale = "x" }',
        'datasets[0].preprocess.scale = "x": must',
    ),
    ('name = "x"', "", 'name: is missing; add name = "example"'),
    ('name = "x"', 'name = "../x"', 'name = "../x": must be letters, digits'),
    ('name = "x"', 'name = ".."', 'name = "..": must be letters, digits'),
    ('name = "x"', 'name = "x"\nsed = 3', "sed = 3: unknown key; did you mean 'seed'?"),
    ('name = "x"', 'name = "x"\nseed = -1', "seed = -1: must be at least 0"),
    ('name = "x"', 'name = "x"\nreplicates = 0', "replicates = 0: must be at least 1"),
    (DATASET, "", "datasets: is missing; add [[datasets]]"),
    (MINIMAL, f'name = "x"\ndatasets = []\n{LABELLING}{ALGORITHM}', "datasets = []: must not be empty"),
    (MINIMAL, f'name = "x"\ndatasets = ["a"]\n{LABELLING}{ALGORITHM}', 'datasets[0] = "a": must be a table'),
    (MINIMAL, f'name = "x"\nlabellings = 3\n{DATASET}{ALGORITHM}', "labellings = 3: must be a list"),
    (DATASET, DATASET * 2, "datasets[1]: label 'breast-cancer' is taken by datasets[0]; add name ="),
    (
        LABELLING,
        LABELLING * 2,
        "labellings[1]: label 'case-control n_p=100' is taken by labellings[0]; add name",
    ),
    (ALGORITHM, ALGORITHM * 2, "algorithms[1]: label 'wlr' is taken by algorithms[0]; add name ="),
]

# A table appended to the minimal suite, and the line it must give.
WRONG_TABLE = [
    ("[tuning]\ntrials = 0", "tuning.trials = 0: must be at least 1"),
    ("[tuning]\nfolds = 1", "tuning.folds = 1: must be at least 2"),
    ("[tuning]\nvalidation = 1", "tuning.validation = 1: must lie between 0 and 1"),
    (
        "[tuning]\nfolds = 3\nvalidation = 0.5",
        "tuning.validation = 0.5: excludes folds; remove one of the two",
    ),
    (
        '[tuning]\nsampler = "tpee"',
        "tuning.sampler = \"tpee\": must be 'tpe', 'random', 'grid' or 'grid-greedy'",
    ),
    ("[tuning]\ncriteria = []", "tuning.criteria = []: must not be empty"),
    ('[tuning]\ncriteria = ["a", "a"]', 'tuning.criteria = ["a", "a"]: lists \'a\' twice'),
    ("[prior]\nsource = 0.0", "prior.source = 0.0: must be a number between 0 and 1"),
    ("[prior]\nsource = 1", "prior.source = 1: must be a number between 0 and 1"),
    ("[prior]\nsource = true", "prior.source = true: must be a number between 0 and 1"),
    ("[prior]\nsource = nan", "prior.source = NaN: must be a number between 0 and 1"),
    ('[prior]\nsource = "0.5"', 'prior.source = "0.5": must be a number between 0 and 1'),
    ('[preprocess]\nimpute = "x"', "preprocess.impute = \"x\": must be 'mean', 'median'"),
    ("[limits]\nseconds = 0", "limits.seconds = 0: must be more than 0"),
    ("[limits]\nseconds = inf", "limits.seconds = Infinity: must be a finite number"),
    ("[limits]\nmemory_mb = 0.5", "limits.memory_mb = 0.5: must be a whole number"),
    (
        '[report.groups]\nsmall = ["breast-cancr"]',
        "report.groups.small = [\"breast-cancr\"]: 'breast-cancr' is not a label under datasets; did you mean",
    ),
    ("[report]\nmetric = []", "report.metric = []: unknown key; did you mean 'metrics'?"),
]

# A search space, and the line it must give.
WRONG_SEARCH = [
    ("[]", "search.c = []: must not be empty"),
    ("[1, 1]", "search.c = [1, 1]: lists a choice twice"),
    ("[[1]]", "search.c = [[1]]: must list only text"),
    ("[nan]", "search.c = [NaN]: must list only text"),
    ("3", "search.c = 3: must be a list of choices or a range"),
    ("{ low = 2, high = 1 }", "search.c.low = 2: must not be more than high = 1"),
    ("{ low = 0, high = 1, log = true }", "search.c.low = 0: must be more than 0 when log = true"),
    ("{ low = 1, high = 2.5, int = true }", "search.c.high = 2.5: must be a whole number when int = true"),
    ("{ low = 1 }", "search.c.high: is missing; add high ="),
    ("{ low = 1, high = 2, itn = true }", "search.c.itn = true: unknown key; did you mean 'int'?"),
    ("{ low = 1, high = 2, points = 0 }", "search.c.points = 0: must be at least 1"),
    ('{ low = "1", high = 2 }', 'search.c.low = "1": must be a number'),
]


def check_one(text: str, start: str) -> None:
    (line,) = problems(text)
    assert line.startswith(f"x.toml: {start}")
    # What is wrong, then a remedy; "unknown key" carries its remedy as a question.
    assert "; " in line.removeprefix("x.toml: ")


@pytest.mark.parametrize(("old", "new", "start"), WRONG)
def test_one_wrong_key_gives_one_line(old: str, new: str, start: str) -> None:
    assert old in MINIMAL
    check_one(MINIMAL.replace(old, new), start)


@pytest.mark.parametrize(("table", "start"), WRONG_TABLE)
def test_one_wrong_table_gives_one_line(table: str, start: str) -> None:
    check_one(MINIMAL + table, start)


@pytest.mark.parametrize(("space", "start"), WRONG_SEARCH)
def test_one_wrong_search_gives_one_line(space: str, start: str) -> None:
    check_one(f"{MINIMAL}tune = true\nsearch = {{ c = {space} }}", f"algorithms[0].{start}")


def test_a_parameter_is_fixed_or_searched() -> None:
    check_one(
        f"{MINIMAL}tune = true\nparams = {{ c = 1 }}\nsearch = {{ c = [1, 2] }}",
        "algorithms[0].search.c = [1, 2]: is also fixed under params",
    )


def test_all_problems_are_reported_once() -> None:
    wrong = MINIMAL.replace("positives = 100", "positives = -3\nfrequency = 2.0") + DATASET
    lines = problems(wrong + '[preprocess]\nimpute = "x"\n[prior]\nsource = 7')
    starts = ["datasets[1]", "labellings[0]", "labellings[0].frequency", "labellings[0].positives"]
    assert sorted(line.split()[1].rstrip(":") for line in lines) == [
        *starts,
        "preprocess.impute",
        "prior.source",
    ]


def test_a_derived_label_may_equal_a_given_one() -> None:
    named = LABELLING.replace("positives = 100", 'positives = 9\nname = "case-control n_p=100"')
    check_one(MINIMAL.replace(LABELLING, LABELLING + named), "labellings[1]: label 'case-control n_p=100'")


def test_toml_errors_are_located() -> None:
    assert problems("name = 'x'\nseed = = 3\n") == [
        "x.toml: is not valid TOML at line 2, column 8: Invalid value; fix it there"
    ]
    (line,) = problems("name = 'x'\nname = 'y'\n")
    assert line.startswith("x.toml: is not valid TOML at line 2")
    (line,) = problems("a = " + "[" * 100_000)
    assert line.startswith("x.toml: is nested too deeply")
    (line,) = problems("seed = 1" + "0" * 5000)
    assert line.startswith("x.toml: contains a number that is too long")
