const assert = require('node:assert');
throw new Error('no database');
