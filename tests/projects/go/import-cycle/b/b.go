package b

import _ "example.com/import-cycle/a"
