/* A library with device code that nvcc's device linker made, and the id of one of its modules. */
__attribute__((section("__nv_relfatbin"), used)) static const char code[] = "code";
__attribute__((section("__nv_module_id"), used)) static const char id[] = "def " MODULE_ID;
