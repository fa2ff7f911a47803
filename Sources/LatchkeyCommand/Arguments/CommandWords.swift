import LatchkeyServer

/// The words of the command line.
enum CommandWords {
    /// The words after the name of the program.
    ///
    /// Swift finds the arguments next to the environment in memory, and no arguments when a preloaded library has changed a
    /// variable, which moves the environment. Linux has them in a file as well.
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
