import { type Asked, type Fault, pass } from '../support/faulty-service.ts';

export const isAddress = ({ path }: Asked): boolean => path.startsWith('/output-file');

export const isDownload = ({ path }: Asked): boolean => path.startsWith('/files/');

export const refused: Fault = {
  kind: 'answer',
  status: 404,
  body: '{"message":"No file of that hash is stored."}',
};

/** A plan for the proxy: the fault occurs in the first `times` requests for which `which` is true. */
export function first(times: number, fault: Fault, which = isDownload): (asked: Asked) => Fault {
  let left = times;
  return (asked) => (which(asked) && left-- > 0 ? fault : pass());
}
