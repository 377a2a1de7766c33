test('shape', () => { expect('new').toMatchSnapshot(); });
