//! Formatted output to descriptors. Each function only goes to one in C, with all arguments where they are: a function of a library in
//! C is not exported from one in Rust.

use std::arch::naked_asm;

unsafe extern "C" {
    fn halftrack_smc_dprintf();
    fn halftrack_smc_dprintf_chk();
    fn halftrack_smc_vdprintf();
    fn halftrack_smc_vdprintf_chk();
}

macro_rules! passed_on {
    ($($name:ident to $function:ident;)*) => {
        $(
            /// As that of the C library.
            ///
            /// # Safety
            /// As that of the C library.
            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            pub unsafe extern "C" fn $name() {
                #[cfg(target_arch = "x86_64")]
                naked_asm!("jmp {}", sym $function);
                #[cfg(target_arch = "aarch64")]
                naked_asm!("b {}", sym $function);
            }
        )*
    };
}

passed_on! {
    dprintf to halftrack_smc_dprintf;
    __dprintf_chk to halftrack_smc_dprintf_chk;
    vdprintf to halftrack_smc_vdprintf;
    __vdprintf_chk to halftrack_smc_vdprintf_chk;
}
