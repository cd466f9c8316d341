// What the kernels call that WebAssembly does not have: functions of the mathematical library, and one of Numba's own.
const std = @import("std");

export fn atan2(y: f64, x: f64) f64 {
    return std.math.atan2(y, x);
}

export fn atan(x: f64) f64 {
    return std.math.atan(x);
}

export fn asin(x: f64) f64 {
    return std.math.asin(x);
}

export fn acos(x: f64) f64 {
    return std.math.acos(x);
}

export fn pow(x: f64, y: f64) f64 {
    return std.math.pow(f64, x, y);
}

// A row of numbers without gaps seen as a table: strides of the table.
export fn numba_attempt_nocopy_reshape(_: i64, _: [*]i64, _: [*]i64, nd: i64, sizes: [*]i64, strides: [*]i64, width: i64, _: i32) i32 {
    var stride: i64 = width;
    var k: usize = @intCast(nd);
    while (k > 0) {
        k -= 1;
        strides[k] = stride;
        stride *= sizes[k];
    }
    return 1;
}

// The kernels allocate nothing: only messages of errors that cannot occur would. They end the run at once.
export fn NRT_Allocate(_: i64) ?*anyopaque {
    @trap();
}

export fn NRT_MemInfo_alloc(_: i64) ?*anyopaque {
    @trap();
}

export fn NRT_Free(_: ?*anyopaque) void {
    @trap();
}

export fn PyErr_SetString(_: ?*anyopaque, _: ?*anyopaque) void {
    @trap();
}

export var PyExc_RuntimeError: i32 = 0;
