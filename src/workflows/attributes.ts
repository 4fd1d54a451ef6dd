import { defineSearchAttributeKey } from '@temporalio/common';

/** Search attributes of a campaign's workflow, where the cluster has them: all of type Keyword. */
export const modelAttribute = defineSearchAttributeKey('ForayModel', 'KEYWORD');
export const phaseAttribute = defineSearchAttributeKey('ForayPhase', 'KEYWORD');
export const ownerAttribute = defineSearchAttributeKey('ForayOwner', 'KEYWORD');
