const assert = require('node:assert');
it('x'.repeat(100000), () => {});
