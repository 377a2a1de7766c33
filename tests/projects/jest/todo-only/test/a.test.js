test.todo('one');
