module example.com/bad

nonsense here
