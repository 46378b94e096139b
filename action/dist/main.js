import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);
import{a as r,o as n,q as p}from"./chunk-3EVACEAM.js";import{f as t,i as e}from"./chunk-DIAFAYQT.js";import"./chunk-V5VJDM3K.js";import{p as o}from"./chunk-CBSP2ZHT.js";await e(i=>n({inputs:r(o),job:p(process.env,t(process.env.GITHUB_EVENT_PATH)),env:process.env,signal:i}));
