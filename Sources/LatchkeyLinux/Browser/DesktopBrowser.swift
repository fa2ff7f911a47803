import CGio
import Dispatch
import Glibc
public import LatchkeyCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Opens pages in the user's browser.
///
/// The browser is the first command of `BROWSER` that can be started, or else the desktop's default one. It is started
/// without a shell and without a terminal, so a text browser can't be used, and it outlives this process. GIO is used
/// if the default browser has no command that can be started in this way, such as in a sandbox with a portal.
public struct DesktopBrowser: Sendable {
    private let environment: [String: String]
    private let launching: @Sendable (String) -> String?

    /// Creates a way to open pages.
    ///
    /// - Parameter environment: The environment variables of the browser, or `nil` for those of this process. They
    ///   include `BROWSER`, `DISPLAY`, `WAYLAND_DISPLAY` and those of ``DesktopSchemeHandlers``. GIO always uses those
    ///   of this process.
    public init(environment: [String: String]? = nil) {
        self.init(environment: environment ?? ProcessInfo.processInfo.environment, launching: Self.launch)
    }

    /// Creates a way to open pages.
    ///
    /// - Parameters:
    ///   - environment: The environment variables of the browser.
    ///   - launching: Opens an address with GIO, and returns the reason if that fails.
    init(environment: [String: String], launching: @escaping @Sendable (String) -> String?) {
        self.environment = environment
        self.launching = launching
    }

    /// Opens a page.
    ///
    /// The method returns when the browser is started, and doesn't wait for its end.
    ///
    /// - Throws: ``LatchkeyCore/LatchkeyError`` with the code `noPresenter` if there is no browser and no display, or
    ///   if the browser can't be started. Show the address with ``TerminalBrowser`` instead.
    public func open(_ page: BrowserPage) async throws(LatchkeyError) {
        let result: Result<Void, LatchkeyError> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    returning: Result { () throws(LatchkeyError) in try open(page.address) }
                )
            }
        }
        try result.get()
    }

    private func open(_ address: String) throws(LatchkeyError) {
        for command in BrowserCommand.list(environment["BROWSER"] ?? "") {
            guard let program = InstalledProgram(command.program, environment: environment) else { continue }
            if program.start(command.arguments(opening: address)) == 0 { return }
        }
        let displays = ["DISPLAY", "WAYLAND_DISPLAY"].compactMap { environment[$0] }
        guard displays.contains(where: { !$0.isEmpty }) else {
            throw LatchkeyError(
                .noPresenter,
                message:
                    "There is no browser, because there is no display and BROWSER doesn't name a program."
            )
        }
        // Unlike a program that GIO starts, this one isn't ended by Control-C on the app's terminal.
        if let scheme = URLText.scheme(of: address),
            let handler = DesktopFolders(environment: environment).handler(ofScheme: scheme),
            (try? handler.command(opening: address).start()) != nil
        {
            return
        }
        if let reason = launching(address) {
            throw LatchkeyError(.noPresenter, message: "The browser can't be opened: \(reason)")
        }
    }

    /// Opens an address with GIO.
    ///
    /// - Returns: The reason if this fails.
    private static func launch(_ address: String) -> String? {
        var error: UnsafeMutablePointer<GError>?
        guard g_app_info_launch_default_for_uri(address, nil, &error) == 0 else { return nil }
        defer { g_clear_error(&error) }
        return error.map { String(cString: $0.pointee.message) } ?? "The desktop gives no reason."
    }
}
