"""What pyproject.toml cannot say: packages in three folders, and the Cython extensions."""

import os
from pathlib import Path

import numpy
from Cython.Build import cythonize
from setuptools import Extension, find_packages, setup

plugins = find_packages("plugins")
cores = os.cpu_count() or 1


def kernels() -> list[Extension]:
    """Return one extension for each .pyx file, named for its place in the package."""
    found = [(path, path) for path in Path("pubench").rglob("*.pyx")]
    found += [(path, path.relative_to("plugins")) for path in Path("plugins").rglob("*.pyx")]
    return [
        Extension(
            ".".join(place.with_suffix("").parts),
            [str(path)],
            include_dirs=[numpy.get_include()],
            define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")],
            # Debugging symbols take a third of the time to compile, and most of the size of a wheel.
            extra_compile_args=["-O3", "-g0"],
        )
        for path, place in sorted(found)
    ]


setup(
    packages=find_packages(".", include=["pubench", "pubench.*"]) + plugins + ["pubench_suites"],
    package_dir={"pubench_suites": "suites"}
    | {name: "plugins/" + name.replace(".", "/") for name in plugins},
    package_data={
        "pubench": ["py.typed"],
        "pubench.advise": ["templates/*"],
        "pubench.citations": ["*.bib"],
        "pubench.reporting.render": ["templates/*"],
        "pubench.reporting.site": ["templates/*"],
        "pubench.scaffold": ["templates/*"],
        "pubench_suites": ["*.toml"],
        "*": ["*.pyi"],
    },
    ext_modules=cythonize(kernels(), language_level=3, include_path=["plugins"], nthreads=cores),
    options={"build_ext": {"parallel": cores}},
)
