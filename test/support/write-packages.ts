/** A program that writes the modules of packages for Jest (packages.ts). */
import { writePackageModules } from './packages.ts';

await writePackageModules();
