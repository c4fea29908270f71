import "./methods.js";
