import LatchkeyServer

/// The command-line arguments of the process.
enum ProcessArguments {
    /// The arguments after the name of the program.
    ///
    /// Swift locates the arguments relative to the environment in memory, and finds none if a preloaded
    /// library has changed a variable, which moves the environment. On Linux, the arguments are therefore
    /// read from `/proc/self/cmdline`. Bytes that are not valid UTF-8 are replaced by U+FFFD.
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
