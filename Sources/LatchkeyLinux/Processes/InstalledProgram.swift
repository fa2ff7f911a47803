import CProcessShim
import Glibc

/// A program that is installed on this machine, such as a browser.
///
/// The program is started without a shell, so its arguments are never interpreted. It has no access to this process's
/// files and streams.
struct InstalledProgram: Sendable {
    /// The absolute path of the program.
    let path: String

    private let name: String
    private let environment: [String: String]

    /// Looks up a program.
    ///
    /// Returns `nil` if there is no executable file with this name. Relative paths, also those in `PATH`, are ignored,
    /// because they could lead to a file that was downloaded into the current folder.
    ///
    /// - Parameters:
    ///   - name: The absolute path, or a name that is looked up in `PATH`.
    ///   - environment: The program's environment variables.
    init?(_ name: String, environment: [String: String]) {
        let candidates =
            name.contains("/")
            ? [name] : (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map { "\($0)/\(name)" }
        let path = candidates.first { $0.hasPrefix("/") && Self.isExecutable($0) }
        guard !name.isEmpty, let path else { return nil }
        self.path = path
        self.name = name
        self.environment = environment
    }

    private static func isExecutable(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    /// Starts the program without a terminal, so that it can outlive this process.
    ///
    /// - Parameters:
    ///   - arguments: The arguments after the program's name.
    ///   - folder: The working folder, or `nil` to use this process's working folder.
    /// - Returns: 0, or the system's error number.
    func start(_ arguments: [String], in folder: String? = nil) -> Int32 {
        launch(arguments) { latchkey_start_detached(path, $0, $1, folder) }
    }

    /// Runs the program on a terminal, and waits until it has ended.
    ///
    /// - Parameters:
    ///   - arguments: The arguments after the program's name.
    ///   - folder: The working folder, or `nil` to use this process's working folder.
    ///   - input: The terminal's descriptor to read from.
    ///   - output: The terminal's descriptor to write to.
    /// - Returns: 0 if the program was started, `EBUSY` if this process is in the terminal's background, or another
    ///   of the system's error numbers.
    func run(_ arguments: [String], in folder: String?, input: Int32, output: Int32) -> Int32 {
        launch(arguments) { latchkey_run_in_foreground(path, $0, $1, folder, input, output) }
    }

    private typealias Strings = UnsafePointer<UnsafeMutablePointer<CChar>?>?

    private func launch(_ arguments: [String], _ body: (Strings, Strings) -> Int32) -> Int32 {
        let words = [name] + arguments
        // The system would cut off the rest of an argument at this character.
        guard !words.contains(where: { $0.utf8.contains(0) }) else { return EINVAL }
        return Self.withStrings(words) { words in
            Self.withStrings(environment.map { "\($0.key)=\($0.value)" }) { body(words, $0) }
        }
    }

    private static func withStrings<Result>(
        _ strings: [String],
        _ body: (Strings) -> Result
    ) -> Result {
        let pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
    }
}
