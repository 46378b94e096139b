import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);
import{a as r,t as n,v as p}from"./chunk-AGXQCTLI.js";import{g as t,k as e}from"./chunk-LLGXLKHB.js";import"./chunk-V5VJDM3K.js";import{p as o}from"./chunk-CBSP2ZHT.js";await e(i=>p({inputs:r(o),job:n(process.env,t(process.env.GITHUB_EVENT_PATH)),env:process.env,signal:i}));
