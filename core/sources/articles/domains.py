"""The eight domains of ArxivRoll (section 4.1) and the arXiv archives that belong to each."""

from types import MappingProxyType

DOMAINS = ("CS", "Q-Fin", "Math", "Phy", "Stat", "Bio", "Econ", "EESS")

ARCHIVES = MappingProxyType(
    {
        "cs": "CS",
        "cmp-lg": "CS",
        "q-fin": "Q-Fin",
        "math": "Math",
        "alg-geom": "Math",
        "dg-ga": "Math",
        "funct-an": "Math",
        "q-alg": "Math",
        "stat": "Stat",
        "q-bio": "Bio",
        "econ": "Econ",
        "eess": "EESS",
        "physics": "Phy",
        "astro-ph": "Phy",
        "cond-mat": "Phy",
        "gr-qc": "Phy",
        "hep-ex": "Phy",
        "hep-lat": "Phy",
        "hep-ph": "Phy",
        "hep-th": "Phy",
        "math-ph": "Phy",
        "nlin": "Phy",
        "nucl-ex": "Phy",
        "nucl-th": "Phy",
        "quant-ph": "Phy",
        "acc-phys": "Phy",
        "adap-org": "Phy",
        "ao-sci": "Phy",
        "atom-ph": "Phy",
        "bayes-an": "Phy",
        "chao-dyn": "Phy",
        "chem-ph": "Phy",
        "comp-gas": "Phy",
        "mtrl-th": "Phy",
        "patt-sol": "Phy",
        "plasm-ph": "Phy",
        "solv-int": "Phy",
        "supr-con": "Phy",
    }
)
"""Every arXiv archive, those closed before 2007 included, and its domain."""

_SPELLINGS = MappingProxyType(
    {domain.lower(): domain for domain in DOMAINS} | {"phys": "Phy", "biology": "Bio"}
)


def domain_of_category(category: str) -> str:
    """Domain of an arXiv category such as ``cs.CL`` or ``hep-th``; empty when arXiv has no such."""
    return ARCHIVES.get(category.strip().lower().partition(".")[0], "")


def domain_of_categories(categories: tuple[str, ...]) -> str:
    """Domain of the first category, which is the primary one; empty without categories."""
    return domain_of_category(categories[0]) if categories else ""


def domain_of_stem(stem: str) -> str:
    """Domain that a file name announces as ``<archive>__name``, such as ``q-bio__growth``."""
    prefix, separator, _ = stem.partition("__")
    return domain_named(prefix) if separator else ""


def domain_named(name: str) -> str:
    """A domain by its own name, an archive or a category, in any case; empty when unknown."""
    key = name.strip().lower().replace("_", "-")
    return _SPELLINGS.get(key) or domain_of_category(key)
