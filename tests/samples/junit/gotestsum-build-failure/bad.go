package shop
func x() { return 1 }
