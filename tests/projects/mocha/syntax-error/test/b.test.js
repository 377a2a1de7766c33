const assert = require('node:assert');
it('two', () => { const = 1; });
