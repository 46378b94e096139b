import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);
import{a as r,q as n,s as p}from"./chunk-DVQVT4G6.js";import{g as t,k as e}from"./chunk-WCHAYNVD.js";import"./chunk-V5VJDM3K.js";import{p as o}from"./chunk-CBSP2ZHT.js";await e(i=>n({inputs:r(o),job:p(process.env,t(process.env.GITHUB_EVENT_PATH)),env:process.env,signal:i}));
