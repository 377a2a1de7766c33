require('node:assert').strictEqual(1, 2);
