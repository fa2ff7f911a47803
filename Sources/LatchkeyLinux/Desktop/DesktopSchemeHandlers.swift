import Dispatch
import Glibc
public import LatchkeyCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The desktop's handlers for URL schemes, which are described by the user's files.
///
/// The lookup follows freedesktop.org's specifications "Association between MIME types and applications"
/// (1.0.1) and "Desktop Entry" (1.5). A scheme is handled if an installed app declares the type
/// `x-scheme-handler/<scheme>`, or if the user has associated the type with an installed app. The lookup does
/// not need a display or a session bus.
///
/// The files are read and written on another thread.
public struct DesktopSchemeHandlers: URLSchemeHandlers {
    private let folders: DesktopFolders
    private let preferred: [String]
    private let terminal: SystemTerminal?

    /// Creates a lookup that uses the folders from the process's environment.
    ///
    /// - Parameters:
    ///   - ids: The apps that come before all others. See
    ///     ``init(environment:preferring:terminal:)``.
    ///   - terminal: The terminal for apps that need one, or `nil` if they can't be opened.
    public init(preferring ids: [String] = [], terminal: SystemTerminal? = nil) {
        self.init(environment: ProcessInfo.processInfo.environment, preferring: ids, terminal: terminal)
    }

    /// Creates a lookup that uses the folders from an environment.
    ///
    /// The relevant variables are `XDG_CONFIG_HOME`, `XDG_CONFIG_DIRS`, `XDG_DATA_HOME`, `XDG_DATA_DIRS`,
    /// `XDG_CURRENT_DESKTOP` and `HOME`. Programs that are started have these variables, and are looked up in `PATH`.
    ///
    /// Any program can register itself for any scheme, and even as the user's default. If a URL is meant for a certain
    /// app, pass the names of its desktop files as `ids`. If none of them is associated with the scheme, other handlers
    /// are used, because the app can also be installed under another name. So a URL must not contain anything that is
    /// useful to other programs on its own.
    ///
    /// - Parameters:
    ///   - environment: The environment variables.
    ///   - ids: The ids of the apps that come before all others, such as `com.example.store.desktop`, in order of
    ///     preference. An app is ignored if it isn't installed, if neither its desktop file nor a list associates it
    ///     with the scheme, or if the user has removed the association.
    ///   - terminal: The terminal for apps that need one, or `nil` if they can't be opened.
    public init(
        environment: [String: String],
        preferring ids: [String] = [],
        terminal: SystemTerminal? = nil
    ) {
        folders = DesktopFolders(environment: environment)
        preferred = ids
        self.terminal = terminal
    }

    /// Returns whether an app is registered for a scheme.
    public func isHandled(_ scheme: String) async -> Bool {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [folders, preferred] in
                let handler = folders.handler(ofScheme: scheme.lowercased(), preferring: preferred)
                continuation.resume(returning: handler != nil)
            }
        }
    }

    /// Opens a URL with the app that is registered for its scheme.
    ///
    /// The app's command is started without a shell, and the URL is one of its arguments. All programs of the user can
    /// read the arguments of a running program. An authorization code in a URL can't be redeemed by them, because that
    /// takes the verifier of the login, too (RFC 7636).
    ///
    /// An app that needs a terminal runs in the foreground of the ``SystemTerminal``, and the method returns after it
    /// has ended. It is started after the lines that are being read. While it runs, prompts wait, and output is shown
    /// afterwards. Control-C and other keys send signals to the app, but not to this process. If the app is stopped
    /// with Control-Z, it is continued at once. Cancelling the task has no effect on a running app.
    ///
    /// The method succeeds if the app was started, whatever it does with the URL and whatever its exit status is.
    ///
    /// - Parameter url: The URL, which may come from any program.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` with the code `invalidInput` if the text isn't a URL, `noPresenter` if
    ///   no app is registered, if it can't be started, or if it needs a terminal and there is none or this process
    ///   isn't in its foreground, or `cancelled` if the task was cancelled before the app could use the terminal.
    public func open(_ url: String) async throws(LatchkeyError) {
        guard let scheme = URLText.scheme(of: url) else {
            throw LatchkeyError(.invalidInput, message: "The text isn't a URL, so it can't be opened.")
        }
        let command = try await run { [preferred] folders throws(LatchkeyError) in
            guard let handler = folders.handler(ofScheme: scheme, preferring: preferred) else {
                throw LatchkeyError(.noPresenter, message: "No app is registered for \(scheme): URLs.")
            }
            let command = try handler.command(opening: url)
            if !command.needsTerminal { try command.start() }
            return command
        }
        if command.needsTerminal { try await command.run(on: terminal) }
    }

    /// Makes a program the user's default handler for a scheme.
    ///
    /// The method writes a desktop file into `$XDG_DATA_HOME/applications`, and sets it as the default in
    /// `$XDG_CONFIG_HOME/mimeapps.list`, in which everything else remains. Calling it again has no effect, so an app
    /// can do so at each start.
    ///
    /// - Parameters:
    ///   - scheme: The scheme, which must be a domain name in reverse order, such as `com.example.shop`.
    ///   - name: The name of the app, which desktops show to the user.
    ///   - program: The absolute path of the program, or `nil` for this process's. The URL is its last argument.
    ///   - arguments: The arguments before the URL.
    ///   - needsTerminal: Whether the program runs on a terminal.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` with the code `invalidInput` if the scheme isn't a private-use one, or
    ///   if a desktop file can't describe the command, or `storageFailed` if a file can't be written.
    public func register(
        _ scheme: String,
        name: String,
        program: String? = nil,
        arguments: [String] = [],
        needsTerminal: Bool = false
    ) async throws(LatchkeyError) {
        let scheme = try PrivateUseScheme(scheme)
        try await run { folders throws(LatchkeyError) in
            try SchemeRegistration(scheme, in: folders).add(
                name: name,
                program: program ?? Self.ownProgram,
                arguments: arguments,
                needsTerminal: needsTerminal
            )
        }
    }

    /// Removes what ``register(_:name:program:arguments:needsTerminal:)`` has written.
    ///
    /// - Parameter scheme: The scheme. If it isn't registered, the method has no effect.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` with the code `invalidInput` if the scheme isn't a private-use one, or
    ///   `storageFailed` if a file can't be changed.
    public func unregister(_ scheme: String) async throws(LatchkeyError) {
        let scheme = try PrivateUseScheme(scheme)
        try await run { folders throws(LatchkeyError) in try SchemeRegistration(scheme, in: folders).remove()
        }
    }

    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (DesktopFolders) throws(LatchkeyError) -> Value
    ) async throws(LatchkeyError) -> Value {
        let result: Result<Value, LatchkeyError> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [folders] in
                continuation.resume(
                    returning: Result { () throws(LatchkeyError) in try body(folders) }
                )
            }
        }
        return try result.get()
    }

    /// The path of this process's program, or an empty text if the system doesn't reveal it.
    private static var ownProgram: String {
        guard let pointer = realpath("/proc/self/exe", nil) else { return "" }
        defer { free(pointer) }
        return String(cString: pointer)
    }
}
