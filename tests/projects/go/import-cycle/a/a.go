package a

import _ "example.com/import-cycle/b"
