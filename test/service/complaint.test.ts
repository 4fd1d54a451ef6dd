import { expect, test } from '@jest/globals';
import { Complaint } from '../../src/service/complaint.ts';

function complaintOf(text: string): string {
  const complaint = new Complaint();
  for (const line of text.split('\n')) complaint.add(line);
  return complaint.text();
}

const PYTHON = 'Traceback (most recent call last):\n  File "sim.py", line 3, in <module>\n    f()\n';

test.each([
  ['the last line, if no language reports an error', 'starting\nno such luck\n', 'no such luck'],
  ['the error of Python', `${PYTHON}ValueError: bad x\n`, 'ValueError: bad x'],
  [
    'the error of Python before a warning',
    `${PYTHON}KeyError: 'a'\n/lib/x.py:3: UserWarning: old\n  warnings.warn("old")\nsys:1: ResourceWarning: unclosed file\n`,
    "KeyError: 'a'",
  ],
  [
    'the last of several errors of Python',
    `${PYTHON}KeyError: 1\n\nDuring handling of the above exception, another exception occurred:\n\n${PYTHON}sim.Broken: no\n`,
    'sim.Broken: no',
  ],
  ['the error of R', 'Error in log(-1) : bad\nCalls: f -> log\nExecution halted\n', 'Error in log(-1) : bad'],
  [
    'the error of R on two lines, with warnings',
    'Error in solve.default(matrix(0, 2, 2)) : \n  exactly singular\nIn addition: Warning message:\nIn f(1) : NaNs produced\nExecution halted\n',
    'Error in solve.default(matrix(0, 2, 2)) : exactly singular',
  ],
  [
    'the error of R without a call',
    "Error: object 'x' not found\nExecution halted\n",
    "Error: object 'x' not found",
  ],
  ['the error of Julia', 'ERROR: LoadError: boom\nStacktrace:\n [1] top-level\n', 'ERROR: LoadError: boom'],
  [
    'the error of Node',
    'file:///sim.mjs:2\nthrow new TypeError("no")\n      ^\n\nTypeError: no\n    at file:///sim.mjs:2:7\n\nNode.js v24.0.0\n',
    'TypeError: no',
  ],
  [
    'the error of Java',
    'Exception in thread "main" java.lang.IllegalStateException: full\n\tat Sim.main(Sim.java:3)\n',
    'Exception in thread "main" java.lang.IllegalStateException: full',
  ],
  [
    'the panic of Rust',
    "thread 'main' panicked at src/main.rs:2:5:\nindex out of bounds\nnote: run with `RUST_BACKTRACE=1`\n",
    "thread 'main' panicked at src/main.rs:2:5: index out of bounds",
  ],
  [
    'the error of Python, and not one that Python ignores',
    `${PYTHON}ValueError: bad x\nException ignored in: <function T.__del__ at 0x7f>\n${PYTHON}AttributeError: no f\n`,
    'ValueError: bad x',
  ],
  [
    'the error of Python after one that it ignores, without a traceback',
    `Exception ignored in: <_io.TextIOWrapper>\nBrokenPipeError: [Errno 32] Broken pipe\n${PYTHON}ValueError: bad x\n`,
    'ValueError: bad x',
  ],
  [
    'the error of R behind another one',
    "Error in `filter()`:\n! Problem in `..1`.\nCaused by error in `f()`:\n! object 'z' not found\nBacktrace:\n  1. dplyr::filter(d)\nExecution halted\n",
    "Caused by error in `f()`: ! object 'z' not found",
  ],
  [
    'the exception of C++',
    "terminate called after throwing an instance of 'std::runtime_error'\n  what():  pump is off\n",
    "terminate called after throwing an instance of 'std::runtime_error' what():  pump is off",
  ],
  [
    'the error of Fortran',
    'At line 3 of file sim.f90\nFortran runtime error: End of file\n\nError termination. Backtrace:\n#0  0x7f\n#1  0x80\n',
    'Fortran runtime error: End of file',
  ],
  ['a warning, if there is nothing else', 'Warning: old data\n', 'Warning: old data'],
  ['nothing', '', ''],
])('the reason of a failure is %s', (_, printed, reason) => {
  expect(complaintOf(printed)).toBe(reason);
});
