import LatchkeyModel
import LatchkeyServer

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Provides the command-line arguments of this process.
enum ProcessArguments {
    /// Returns the command-line arguments without the program name.
    ///
    /// Swift looks for the arguments in the memory in front of the environment variables. If a preloaded
    /// library changes an environment variable, the environment is copied to another address and Swift can't
    /// find the arguments. On Linux we therefore read the arguments from `/proc/self/cmdline`.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if an argument isn't UTF-8.
    static func all() throws(CommandFailure) -> [String] {
        var texts: [String] = []
        for (index, bytes) in bytes.enumerated() {
            do {
                texts.append(try String(utf8: bytes))
            } catch {
                throw CommandFailure(.usage, message: "argument \(index + 1) is \(error)")
            }
        }
        return texts
    }

    private static var bytes: [[UInt8]] {
        #if os(Linux)
        if let line = try? PrivateFile("/proc/self/cmdline").contents(), !line.isEmpty {
            return line.split(separator: 0, omittingEmptySubsequences: false).dropFirst().dropLast()
                .map { Array($0) }
        }
        #endif
        let arguments = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
        return arguments.dropFirst().compactMap { argument in
            argument.map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
        }
    }
}
