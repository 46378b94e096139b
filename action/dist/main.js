import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);
import{a as r,u as n,w as p}from"./chunk-OTUCILQW.js";import{g as t,k as e}from"./chunk-NJFINXHQ.js";import"./chunk-V5VJDM3K.js";import{p as o}from"./chunk-CBSP2ZHT.js";await e(i=>p({inputs:r(o),job:n(process.env,t(process.env.GITHUB_EVENT_PATH)),env:process.env,signal:i}));
