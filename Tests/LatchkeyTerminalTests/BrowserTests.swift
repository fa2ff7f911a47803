import LatchkeyCore
import LatchkeyModel
import LatchkeyTesting
import TestProcesses
import Testing

@testable import LatchkeyLinux

@Suite struct `Pages to open in a browser` {
    @Test(arguments: [
        "https://id.example.com/auth?a=1&b=%20", "HTTPS://id.example.com", "http://127.0.0.1:4433/auth",
        "http://[::1]:4433/", "http://localhost/", "https://id.example.com/';$(reboot)",
    ])
    func `Web pages with TLS or on this machine are accepted`(_ address: String) throws {
        let page = try BrowserPage(address)
        #expect(page.address == address && page.returnPort == nil)
    }

    @Test(arguments: [
        "", "-", "--version", "-https://id.example.com/", " https://id.example.com/",
        "https://id.example.com/ ",
        "https://id.example.com/a b", "https://id.example.com/\n", "https://id.example.com/\0",
        "https://id.example.com/\u{1B}[31m", "https://id.example.com/\u{7F}", "https://id.example.com/é",
        "https://id.example.com/\u{202E}", "https://", "https:id.example.com",
        "https://bank.example@evil.example/",
        "http://id.example.com/", "http://127.0.0.1.evil.example/", "http://localhost.evil.example/",
        "ftp://id.example.com/", "file:///etc/passwd", "/etc/passwd", "javascript:alert(1)",
        "data:text/html,x", "com.example.shop:/callback", "https://id.example.com/%2",
        "https://id.example.com/\"",
    ])
    func `Other addresses are refused`(_ address: String) {
        #expect { try BrowserPage(address) } throws: { error in
            (error as? LatchkeyError)?.code == .invalidInput
        }
    }
}

@Suite struct `Commands in BROWSER` {
    private static let address = "https://id.example.com/?a=%s&b=%20"

    private static let lists: [(String, [[String]])] = [
        ("firefox", [["firefox", address]]),
        ("firefox:chromium", [["firefox", address], ["chromium", address]]),
        ("firefox --new-tab", [["firefox", "--new-tab", address]]),
        ("firefox --new-tab %s --private", [["firefox", "--new-tab", address, "--private"]]),
        ("app --url=%s", [["app", "--url=\(address)"]]),
        ("app %s %s", [["app", address, address]]),
        ("app 100%% %x %", [["app", "100%", "%x", "%", address]]),
        ("app a%cb", [["app", "a:b", address]]),
        (#""/opt/My Browser/run" -a"#, [["/opt/My Browser/run", "-a", address]]),
        (#"app 'a "b" \c' "d 'e' \"f\"""#, [["app", #"a "b" \c"#, #"d 'e' "f""#, address]]),
        (#"app a\ b ''"#, [["app", "a b", "", address]]),
        (#"app "a:b":other"#, [["app", "a:b", address], ["other", address]]),
        (#"app "%s""#, [["app", address]]),
        // Nothing is expanded or interpreted.
        ("app $HOME ~ * `id` ; reboot", [["app", "$HOME", "~", "*", "`id`", ";", "reboot", address]]),
        ("", []), (":", []), (" : ", []), ("''", []),
        // A command that ends within quotes.
        (#"first:app "a"#, [["first", address]]),
        ("app \\", []),
        // The address as the program, or as a part of a script.
        ("%s", []), ("x%s:app", [["app", address]]),
        (#"sh -c "firefox %s":app"#, [["app", address]]),
        (#"sh -c firefox\ %s:app"#, [["app", address]]),
    ]

    @Test(arguments: lists)
    func `A list is split into programs and arguments without a shell`(_ list: String, _ expected: [[String]])
    {
        let commands = BrowserCommand.list(list)
        #expect(commands.map { [$0.program] + $0.arguments(opening: Self.address) } == expected)
    }
}

@Suite(.timeLimit(.minutes(5))) struct `Browsers of the desktop` {
    private static let address = "https://id.example.com/auth?a='$(reboot)'&b=%20;c=*"

    private let root = TemporaryFolder()

    private func open(_ environment: [String: String], launching: @escaping @Sendable (String) -> String?)
        async throws
    {
        let standard = ["PATH": "/usr/bin:/bin", "HOME": root.path, "XDG_DATA_DIRS": root.path]
        let browser = DesktopBrowser(
            environment: environment.merging(standard) { given, _ in given },
            launching: launching
        )
        try await browser.open(BrowserPage(Self.address))
    }

    private static let unused: @Sendable (String) -> String? = { _ in
        Issue.record("The desktop's browser was opened.")
        return nil
    }

    @Test func `The first command of BROWSER that can be started receives the address as one argument`()
        async throws
    {
        let program = try RecordedProgram()
        try await open(
            [
                "BROWSER": "/missing/browser:missing-browser:/etc/passwd:sh \(program.path) -x %s",
                "DISPLAY": ":0",
            ],
            launching: Self.unused
        )
        #expect(try await program.start().arguments == ["-x", Self.address])
    }

    private func writeBrowser(_ exec: String) throws {
        try root.makeFolder("applications")
        _ = try root.write(
            "[Desktop Entry]\nExec=\(exec)\nMimeType=x-scheme-handler/https;\n",
            as: "applications/browser.desktop"
        )
    }

    @Test func `The desktop's default browser is started on a display`() async throws {
        let program = try RecordedProgram()
        try writeBrowser("sh \"\(program.path)\" --new %u")
        try await open(["DISPLAY": ":0"], launching: Self.unused)
        #expect(try await program.start().arguments == ["--new", Self.address])
    }

    @Test func `GIO is used if the command of the default browser can't be started`() async throws {
        try writeBrowser("missing-browser %u")
        await #expect { try await open(["DISPLAY": ":0"]) { _ in "No portal." } } throws: { error in
            (error as? LatchkeyError)?.message.contains("No portal.") == true
        }
    }

    @Test(arguments: ["DISPLAY", "WAYLAND_DISPLAY"])
    func `Without a default browser, GIO is used on a display`(_ variable: String) async throws {
        let opened = Locked<[String]>([])
        try await open(["BROWSER": "missing-browser", variable: "x"]) { address in
            opened.withLock { $0.append(address) }
            return nil
        }
        #expect(opened.withLock { $0 } == [Self.address])
    }

    @Test(arguments: [["BROWSER": "missing-browser"], [:], ["DISPLAY": "", "WAYLAND_DISPLAY": ""]])
    func `Without a browser and a display, the error says so`(_ environment: [String: String]) async {
        await #expect { try await open(environment, launching: Self.unused) } throws: { error in
            (error as? LatchkeyError)?.code == .noPresenter
        }
    }

    @Test func `The desktop's reason is a part of the error`() async {
        await #expect { try await open(["DISPLAY": ":0"]) { _ in "No app." } } throws: { error in
            let error = error as? LatchkeyError
            return error?.code == .noPresenter && error?.message.contains("No app.") == true
        }
    }
}

@Suite struct `Pages on a terminal` {
    private static let address = "https://id.example.com/auth"

    private func lines(host: LoopbackHost? = .ipv4, connection: String? = nil) throws -> [String] {
        let terminal = ScriptedTerminal()
        let browser = TerminalBrowser(
            terminal,
            text: "Open:",
            forwardingText: "Forward:",
            environment: connection.map { ["SSH_CONNECTION": $0] } ?? [:]
        )
        guard let host else {
            browser.open(try BrowserPage(Self.address))
            return terminal.transcript
        }
        let listener = try #require(LoopbackListener(host: host))
        browser.open(try BrowserPage(Self.address, returningTo: listener))
        return terminal.transcript.map { $0.replacing("\(listener.port)", with: "PORT") }
    }

    @Test func `The address is shown`() throws {
        #expect(try lines() == ["Open:", Self.address])
        // A page that doesn't lead to a port needs no forwarding.
        #expect(try lines(host: nil, connection: "192.0.2.1 50000 192.0.2.2 22") == ["Open:", Self.address])
    }

    @Test(arguments: [
        ("192.0.2.1 50000 192.0.2.2 22", "192.0.2.2"),
        ("192.0.2.1 50000 192.0.2.2 2222", "-p 2222 192.0.2.2"),
        ("2001:db8::1 50000 2001:db8::2 22", "2001:db8::2"), ("", "<host>"), ("x", "<host>"),
        ("192.0.2.1 50000 $(reboot) 22", "<host>"), ("192.0.2.1 50000 -oProxyCommand=x 22", "<host>"),
        ("192.0.2.1 50000 192.0.2.2 x", "<host>"),
    ])
    func `Over SSH, the command that forwards the port is shown first`(_ connection: String, _ host: String)
        throws
    {
        let expected = ["Forward:", "ssh -L PORT:127.0.0.1:PORT \(host)", "Open:", Self.address]
        #expect(try lines(connection: connection) == expected)
    }

    @Test(.enabled("IPv6 is off") { LoopbackListener(host: .ipv6) != nil })
    func `Over SSH, a port on IPv6 is forwarded to its address`() throws {
        #expect(try lines(host: .ipv6, connection: "").contains("ssh -L PORT:[::1]:PORT <host>"))
    }
}
