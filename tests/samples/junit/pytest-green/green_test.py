def test_a(): pass
def test_b(): print("hello")
class TestC:
    def test_d(self): pass
