/**
 * What a key may do. Both servers decide it here: each endpoint of foray's own server names the role that it needs, and
 * the model service needs `steer`, or `executor` for the requests of executors.
 */

/**
 * The roles that each role includes. `read` may only read campaigns at foray's own server. `steer` may do everything that
 * its user may do, except push models through foray's own server, because their code runs on the machine of the service.
 * `develop` may also push models. `executor` may only execute runs of a model service, on another machine.
 */
const included = {
  read: ['read'],
  steer: ['read', 'steer'],
  develop: ['read', 'steer', 'develop'],
  executor: ['executor'],
} as const;

export type KeyRole = keyof typeof included;

export const roles = Object.keys(included) as KeyRole[];

/** Whether a key with a role may do what needs the role `needed`. An unknown key has no role. */
export function mayDo(role: KeyRole | undefined, needed: KeyRole): boolean {
  return role !== undefined && (included[role] as readonly KeyRole[]).includes(needed);
}
