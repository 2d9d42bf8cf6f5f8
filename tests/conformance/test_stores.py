"""Every store of ours passes the suite that authors get."""

from types import MappingProxyType

from sourcebook.testing import StoreConformance


class TestMemory(StoreConformance):
    store = "memory"


class TestTantivy(StoreConformance):
    store = "tantivy"


class TestFaiss(StoreConformance):
    store = "faiss"


class TestFaissFlat(StoreConformance):
    store = "faiss"
    options = MappingProxyType({"index": "flat"})
    vector_recall = 0.98  # an index knows the best vector of a row, not the mean of all


class TestFaissHnsw(StoreConformance):
    store = "faiss"
    options = MappingProxyType({"index": "hnsw"})
    vector_recall = 0.98


class TestFaissIvf(StoreConformance):
    store = "faiss"
    options = MappingProxyType({"index": "ivf-sq8"})
    vector_recall = 0.9
