import LatchkeyServer

/// Provides the command-line arguments of this process.
enum ProcessArguments {
    /// The command-line arguments without the program name.
    ///
    /// Swift looks for the arguments in the memory in front of the environment variables. If a preloaded
    /// library changes an environment variable, the environment is copied to another address and Swift can't
    /// find the arguments. On Linux we therefore read the arguments from `/proc/self/cmdline`. Invalid UTF-8
    /// is replaced with U+FFFD.
    static var all: [String] {
        #if os(Linux)
        if let line = try? PrivateFile("/proc/self/cmdline").contents(), !line.isEmpty {
            return line.split(separator: 0, omittingEmptySubsequences: false).dropFirst().dropLast()
                .map { String(decoding: $0, as: UTF8.self) }
        }
        #endif
        return Array(CommandLine.arguments.dropFirst())
    }
}
