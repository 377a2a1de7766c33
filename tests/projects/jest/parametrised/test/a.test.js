test.each([[1, 1, 2], [1, 2, 4]])('%i + %i is %i', (a, b, sum) => { expect(a + b).toBe(sum); });
