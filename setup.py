"""What pyproject.toml cannot say: packages in three folders, and the Cython extensions."""

import numpy
from Cython.Build import cythonize
from setuptools import Extension, find_packages, setup

plugins = find_packages("plugins")
kernel = Extension("pubench._ranking", ["pubench/_ranking.pyx"], include_dirs=[numpy.get_include()])

setup(
    packages=find_packages(".", include=["pubench", "pubench.*"]) + plugins + ["pubench_suites"],
    package_dir={"pubench_suites": "suites"}
    | {name: "plugins/" + name.replace(".", "/") for name in plugins},
    package_data={"pubench": ["py.typed", "*.pyi"], "pubench_suites": ["*.toml"]},
    ext_modules=cythonize([kernel], language_level=3),
)
