import LatchkeyModel

#if os(Linux)
// `environ` is a global variable. The process doesn't change its environment.
@preconcurrency import Glibc
#else
import Foundation
#endif

/// Provides the environment variables of this process.
enum ProcessEnvironment {
    /// The variables that determine where files are, in addition to those that begin with `LATCHKEY_`.
    private static let folders = ["HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"]

    /// Returns the environment variables.
    ///
    /// Variables of other programs are left out if they aren't UTF-8.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if a variable that this program uses isn't UTF-8.
    static func all() throws(CommandFailure) -> [String: String] {
        #if os(Linux)
        var variables: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let bytes = UnsafeRawBufferPointer(start: text, count: strlen(text))
            entry += 1
            guard let end = bytes.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let isOurs =
                bytes.starts(with: "LATCHKEY_".utf8)
                || folders.contains { $0.utf8.elementsEqual(bytes[..<end]) }
            do {
                let name = try String(utf8: bytes[..<end])
                // As in C, the first of several variables with the same name counts.
                if variables[name] == nil { variables[name] = try String(utf8: bytes[(end + 1)...]) }
            } catch {
                guard isOurs else { continue }
                let name = (try? String(utf8: bytes[..<end])) ?? "LATCHKEY_"
                throw CommandFailure(.usage, message: "the environment variable \(name) is \(error)")
            }
        }
        return variables
        #else
        return ProcessInfo.processInfo.environment
        #endif
    }
}
