#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

// These functions are only called by libFuzzer, which `scripts/fuzz` links into the executable.

/// The target selected by the environment variable `FUZZ_TARGET`.
private let target: FuzzTarget = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget.named(name) else {
        print("fuzz: unknown target '\(name)'")
        exit(2)
    }
    return target
}()

/// Prepares the fuzzer.
///
/// If the argument `--words` is given, this function only writes the target's dictionary.
@_cdecl("LLVMFuzzerInitialize")
package func prepareFuzzer(
    _ count: UnsafePointer<CInt>,
    _ arguments: UnsafePointer<UnsafePointer<UnsafePointer<CChar>?>>
) -> CInt {
    let last = arguments.pointee[Int(count.pointee) - 1].map { String(cString: $0) }
    if last == "--words" {
        print("\"\\xFF\"")
        for word in target.words { print(quoted(word)) }
        exit(0)
    }
    return 0
}

/// Checks one input.
///
/// If a rule is broken, the process ends as if it had crashed.
@_cdecl("LLVMFuzzerTestOneInput")
package func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try target.check(Array(UnsafeBufferPointer(start: bytes, count: count)))
    } catch {
        print("fuzz: \(target.name): \(error)")
        fflush(nil)
        abort()
    }
    return 0
}

/// Returns a word in the format of libFuzzer's dictionaries.
private func quoted(_ word: String) -> String {
    let characters = word.utf8.map { byte in
        let isPlain = (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        let digits = String(byte, radix: 16, uppercase: true)
        return isPlain ? String(Unicode.Scalar(byte)) : "\\x" + (byte < 16 ? "0" : "") + digits
    }
    return "\"\(characters.joined())\""
}
