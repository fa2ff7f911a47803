import LatchkeyCore
import LatchkeyLinux
import TestProcesses
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Opening URLs with their handlers` {
    private static let url = "com.example.shop:/callback?code=a'$(reboot)&state=%20"

    private let home = DesktopHome()

    @Test func `The handler is started with the URL as one argument, in its folder`() async throws {
        let program = try RecordedProgram()
        try home.write(
            """
            [Desktop Entry]
            Type=Application
            Name=Shop
            Name[nb]=Butikken vår
            Icon=shop
            Exec=sh "\(program.path)" -a %i %c %k --url=%u
            TryExec=sh
            Path=/usr
            DBusActivatable=true
            MimeType=x-scheme-handler/com.example.shop;
            """,
            as: "usr/applications/shop.desktop"
        )
        try await home.handlers.open(Self.url)
        let start = try await program.start()
        let path = home.root.file("usr/applications/shop.desktop")
        #expect(start.arguments == ["-a", "--icon", "shop", "Butikken vår", path, "--url=" + Self.url])
        #expect(start.values["folder"] == "/usr")
    }

    @Test(arguments: [
        (["config/mimeapps.list": "Default Applications"], "second"),
        (["etc/mimeapps.list": "Default Applications"], "second"),
        // The user's default comes before an association, and the administrator's default before others.
        (["config/mimeapps.list": "Added Associations"], "second"),
        (["etc/mimeapps.list": "Added Associations"], "second"),
        (["usr/applications/mimeapps.list": "Added Associations"], "first"),
        ([:], "first"),
    ])
    func `The user's default is started before other handlers`(_ lists: [String: String], _ expected: String)
        async throws
    {
        let programs = ["first": try RecordedProgram(), "second": try RecordedProgram()]
        for (name, program) in programs {
            try home.write(
                "[Desktop Entry]\nExec=sh \"\(program.path)\" %u\nMimeType=x-scheme-handler/com.example.shop;\n",
                as: "data/applications/\(name).desktop"
            )
        }
        for (path, group) in lists {
            try home.write(
                "[\(group)]\nx-scheme-handler/com.example.shop=second.desktop;first.desktop\n",
                as: path
            )
        }
        try await home.handlers.open(Self.url)
        #expect(try await programs[expected]?.start().arguments == [Self.url])
    }

    @Test(arguments: [
        // Another program has made itself the default, in a file that is read before those of the store.
        (["store.desktop"], ["Default Applications": "other.desktop"], "store"),
        (
            ["store.desktop"], ["Default Applications": "other.desktop", "Added Associations": "a.desktop"],
            "store"
        ),
        (["missing.desktop", "store.desktop", "other.desktop"], [:], "store"),
        (["other.desktop", "store.desktop"], [:], "other"),
        // The store's app is associated by a list only.
        (["plain.desktop"], ["Default Applications": "other.desktop;plain.desktop"], "plain"),
        (
            ["plain.desktop"],
            ["Default Applications": "other.desktop", "Added Associations": "plain.desktop"], "plain"
        ),
        // The store's app isn't installed, isn't associated with the scheme, or isn't anymore.
        (["missing.desktop"], ["Default Applications": "other.desktop"], "other"),
        (["plain.desktop"], ["Default Applications": "other.desktop"], "other"),
        (["store"], ["Default Applications": "other.desktop"], "other"),
        (
            ["store.desktop"],
            ["Default Applications": "other.desktop", "Removed Associations": "store.desktop"], "other"
        ),
        ([], ["Default Applications": "other.desktop"], "other"),
    ])
    func `A preferred app is started before the user's default`(
        _ preferred: [String],
        _ lists: [String: String],
        _ expected: String
    ) async throws {
        let type = "x-scheme-handler/com.example.shop"
        var programs: [String: RecordedProgram] = [:]
        for name in ["other", "plain", "store"] {
            let program = try RecordedProgram()
            let declaration = name == "plain" ? "" : "MimeType=\(type);\n"
            try home.write(
                "[Desktop Entry]\nExec=sh \"\(program.path)\" %u\n" + declaration,
                as: "usr/applications/\(name).desktop"
            )
            programs[name] = program
        }
        let list = lists.map { "[\($0.key)]\n\(type)=\($0.value)\n" }.joined()
        try home.write(list, as: "config/mimeapps.list")
        try await DesktopSchemeHandlers(environment: home.environment, preferring: preferred).open(Self.url)
        #expect(try await programs[expected]?.start().arguments == [Self.url])
    }

    @Test func `A scheme is handled by its preferred app or by another one`() async throws {
        let handlers = DesktopSchemeHandlers(environment: home.environment, preferring: ["store.desktop"])
        try home.write("[Desktop Entry]\nExec=true\n", as: "usr/applications/store.desktop")
        #expect(await handlers.isHandled("com.example.shop") == false)

        let other = "[Desktop Entry]\nExec=true\nMimeType=x-scheme-handler/com.example.shop;\n"
        try home.write(other, as: "usr/applications/other.desktop")
        #expect(await handlers.isHandled("com.example.shop"))
    }

    @Test func `A default of the administrator comes before an association of the user`() async throws {
        let program = try RecordedProgram()
        try home.write(
            "[Desktop Entry]\nExec=sh \"\(program.path)\" %u\n",
            as: "usr/applications/default.desktop"
        )
        try home.write("[Desktop Entry]\nExec=false\n", as: "usr/applications/added.desktop")
        let type = "x-scheme-handler/com.example.shop"
        try home.write("[Added Associations]\n\(type)=added.desktop\n", as: "config/mimeapps.list")
        try home.write("[Default Applications]\n\(type)=default.desktop\n", as: "etc/mimeapps.list")
        try await home.handlers.open(Self.url)
        #expect(try await program.start().arguments == [Self.url])
    }

    @Test(arguments: [
        "", "-x", "--help", "com.example.shop", "/etc/passwd", " com.example.shop:/", "com.example.shop:/a b",
        "com.example.shop:/\n", "com.example.shop:/\0", "com.example.shop:/é", "com.example.shop:/\"",
        "com.example.shop:/#a#b", "com.example.shop:/#\u{1B}", "com.example.shop:/%2", "-com.example:/x",
        "x/../com.example:/x",
    ])
    func `A text that isn't a URL is not opened`(_ text: String) async {
        await #expect(
            performing: { try await home.handlers.open(text) },
            throws: DesktopHome.code(.invalidInput)
        )
    }

    @Test(arguments: [
        "Terminal=true\nExec=sh %u", "Exec=sh -c \"shop %u\"", #"Exec=sh \q"#, "Exec=missing-program %u",
        "Exec=sh %u\nPath=/missing", "Exec=sh %u\nTryExec=missing-program", "Exec=sh %u\nHidden=true",
        "DBusActivatable=true",
    ])
    func `A handler that can't be started is an error`(_ keys: String) async throws {
        try home.write(
            "[Desktop Entry]\n\(keys)\nMimeType=x-scheme-handler/com.example.shop;\n",
            as: "data/applications/shop.desktop"
        )
        await #expect(
            performing: { try await home.handlers.open(Self.url) },
            throws: DesktopHome.code(.noPresenter)
        )
    }

    @Test(arguments: [
        // The program isn't installed, or isn't executable.
        (nil, false), ("#!/bin/sh\n", false),
        // The system can't load the program.
        ("#!/missing/interpreter\n", true), ("not a program", true), ("", true),
    ])
    func `A program that the system doesn't start is an error`(_ text: String?, _ isExecutable: Bool)
        async throws
    {
        let path = home.root.file("program")
        if let text { _ = try home.root.write(text, as: "program", mode: isExecutable ? 0o755 : 0o644) }
        try home.write(
            "[Desktop Entry]\nExec=\(path) %u\nMimeType=x-scheme-handler/com.example.shop;\n",
            as: "data/applications/shop.desktop"
        )
        await #expect(
            performing: { try await home.handlers.open(Self.url) },
            throws: DesktopHome.code(.noPresenter)
        )
    }

    @Test(arguments: ["true", "false", "sh -c \"exit 127\"", "sh -c \"kill -SEGV 0\""])
    func `An app that ends at once has been opened`(_ command: String) async throws {
        try home.write(
            "[Desktop Entry]\nExec=\(command)\nMimeType=x-scheme-handler/com.example.shop;\n",
            as: "data/applications/shop.desktop"
        )
        try await home.handlers.open(Self.url)
    }

    @Test func `A handler whose program isn't installed is passed over`() async throws {
        let program = try RecordedProgram()
        let type = "MimeType=x-scheme-handler/com.example.shop;"
        try home.write(
            "[Desktop Entry]\nExec=sh %u\nTryExec=missing-program\n\(type)\n",
            as: "data/applications/a.desktop"
        )
        try home.write(
            "[Desktop Entry]\nExec=sh \"\(program.path)\" %u\n\(type)\n",
            as: "usr/applications/b.desktop"
        )
        try await home.handlers.open(Self.url)
        #expect(try await program.start().arguments == [Self.url])
    }
}
