import Foundation
import LatchkeyCore
import TestProcesses
import Testing

@testable import LatchkeyLinux

@Suite(.timeLimit(.minutes(5))) struct `Registrations for URL schemes` {
    private static let url = "com.example.shop:/callback?code=a'$(reboot)&state=%20"
    private static let list = "config/mimeapps.list"
    private static let entry = "data/applications/com.example.shop-handler.desktop"

    private let home = DesktopHome()

    @Test func `A registered program is started with its arguments and the URL`() async throws {
        let program = try RecordedProgram(named: "my $cript 100%")
        #expect(await home.handlers.isHandled("com.example.shop") == false)
        try await home.handlers.register(
            "COM.example.shop",
            name: " My\nShop",
            program: "/bin/sh",
            arguments: [program.path, "$HOME", "a \"b\" \\ `c`", "%u"]
        )
        #expect(await home.handlers.isHandled("com.example.shop"))
        let entry = try #require(home.text(Self.entry))
        #expect(entry.hasPrefix("[Desktop Entry]\nType=Application\nName=\\sMy\\nShop\nExec=/bin/sh \""))
        #expect(entry.hasSuffix(" %u\nNoDisplay=true\nMimeType=x-scheme-handler/com.example.shop;\n"))

        try await home.handlers.open(Self.url)
        #expect(
            try await program.start().arguments == ["$HOME", "a \"b\" \\ `c`", "%u", Self.url]
        )
        try await home.handlers.unregister("com.example.shop")
        #expect(await home.handlers.isHandled("com.example.shop") == false)
        #expect(home.text(Self.entry) == nil)
    }

    @Test func `By default, this process's program is registered`() async throws {
        try await home.handlers.register("com.example.shop", name: "Shop")
        let program = try #require(realpath("/proc/self/exe", nil))
        defer { free(program) }
        #expect(try #require(home.text(Self.entry)).contains("\nExec=\(String(cString: program)) %u\n"))
    }

    private static let other = """
        # My defaults

        [Added Associations]
        x-scheme-handler/com.example.shop=old.desktop;
        [Default Applications]
        # The browser
        text/html = firefox.desktop;  \r
        x-scheme-handler/com.example.shop.pay=pay.desktop
        broken line

        [Other]
        x-scheme-handler/com.example.shop=kept.desktop

        """

    private static let lists: [(String, String, String)] = [
        ("", "[Default Applications]\nT=ID;\n", "[Default Applications]\n"),
        (other, other.replacing("[Default Applications]\n", with: "[Default Applications]\nT=ID;\n"), other),
        (
            "[Default Applications]\nT=a.desktop;b.desktop\na=b",
            "[Default Applications]\nT=ID;a.desktop;b.desktop;\na=b",
            "[Default Applications]\nT=a.desktop;b.desktop;\na=b"
        ),
        (
            "[Default Applications]\nT=a.desktop;ID", "[Default Applications]\nT=ID;a.desktop;\n",
            "[Default Applications]\nT=a.desktop;\n"
        ),
        (
            "[Default Applications]\nT=ID\nT=other.desktop", "[Default Applications]\nT=ID\nT=other.desktop",
            "[Default Applications]\nT=other.desktop"
        ),
        (
            "[A]\nx=\u{FF}", "[A]\nx=\u{FF}\n\n[Default Applications]\nT=ID;\n",
            "[A]\nx=\u{FF}\n\n[Default Applications]\n"
        ),
        ("[Default Applications]", "[Default Applications]\nT=ID;\n", "[Default Applications]\n"),
    ]

    @Test(arguments: lists)
    func `Everything else in the list of associations remains byte for byte`(
        _ old: String,
        _ registered: String,
        _ unregistered: String
    ) async throws {
        let filled = { (text: String) in
            text.replacing("T=", with: "x-scheme-handler/com.example.shop=")
                .replacing("ID", with: "com.example.shop-handler.desktop")
        }
        try home.write(filled(old), as: Self.list)
        for _ in 1...2 {
            try await home.handlers.register("com.example.shop", name: "Shop", program: "/bin/true")
            #expect(home.text(Self.list) == filled(registered))
        }
        for _ in 1...2 {
            try await home.handlers.unregister("com.example.shop")
            #expect(home.text(Self.list) == filled(unregistered))
        }
    }

    @Test func `Bytes that aren't UTF-8 remain in the list of associations`() {
        let old = [0xFF, 0xFE, 0x0A] + Array("[Default Applications]\n".utf8) + [0x80, 0x3D, 0x81, 0x0A]
        let new = MimeAssociations.adding(default: "a.desktop", for: "x/y", to: old)
        #expect(new.starts(with: [0xFF, 0xFE, 0x0A]) && new.suffix(4) == [0x80, 0x3D, 0x81, 0x0A])
        #expect(MimeAssociations.removing(default: "a.desktop", for: "x/y", from: new) == old)
    }

    @Test func `A list that is a symbolic link remains one, with its permissions and without drafts`()
        async throws
    {
        try home.write("[Default Applications]\n", as: "dotfiles/list")
        chmod(home.root.file("dotfiles/list"), 0o640)
        try home.root.makeFolder("config")
        symlink("../dotfiles/list", home.root.file(Self.list))
        try await home.handlers.register("com.example.shop", name: "Shop", program: "/bin/true")
        #expect(home.text("dotfiles/list")?.contains("com.example.shop-handler.desktop") == true)
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: home.root.file(Self.list))
                == "../dotfiles/list"
        )
        #expect(try home.root.mode("dotfiles/list") == 0o640)
        #expect(try home.root.contents().keys.allSatisfy { !$0.contains(".latchkey-") })
    }

    @Test func `Files that don't change are not written`() async throws {
        try await home.handlers.register("com.example.shop", name: "Shop", program: "/bin/true")
        let inode = { (path: String) in
            (try FileManager.default.attributesOfItem(atPath: home.root.file(path))[.systemFileNumber]
                as? NSNumber)?
                .uint64Value
        }
        let before = [try inode(Self.list), try inode(Self.entry)]
        try await home.handlers.register("com.example.shop", name: "Shop", program: "/bin/true")
        #expect([try inode(Self.list), try inode(Self.entry)] == before)
    }

    @Test(arguments: [
        "https", "mailto", "shop", "", ".", "com.", ".shop", "com..shop", "1com.shop", "com.shop:",
        "com.sh op",
        "com.shop;text/html", "com.shop\n", "../com.shop", "com.shöp", "-com.shop",
    ])
    func `Only private-use schemes are registered`(_ scheme: String) async throws {
        await #expect(
            performing: { try await home.handlers.register(scheme, name: "Shop", program: "/bin/true") },
            throws: DesktopHome.code(.invalidInput)
        )
        await #expect(
            performing: { try await home.handlers.unregister(scheme) },
            throws: DesktopHome.code(.invalidInput)
        )
        #expect(try home.root.contents().isEmpty)
    }

    @Test(arguments: [("bin/true", []), ("", []), ("/opt/a=b", []), ("/bin/true", ["a\0b"])])
    func `A program that a desktop file can't start is refused`(_ program: String, _ arguments: [String])
        async throws
    {
        await #expect(
            performing: {
                try await home.handlers.register(
                    "com.example.shop",
                    name: "Shop",
                    program: program,
                    arguments: arguments
                )
            },
            throws: DesktopHome.code(.invalidInput)
        )
        #expect(try home.root.contents().isEmpty)
    }

    @Test func `Files that can't be written or have no folder are an error`() async throws {
        for environment in [[:], ["HOME": ""], ["HOME": "home"], ["HOME": "home", "XDG_DATA_HOME": "data"]] {
            let folders = DesktopFolders(environment: environment)
            #expect(folders.ownList == nil && folders.ownApplications == nil)
        }
        let homeless = DesktopSchemeHandlers(environment: ["HOME": "home"])
        await #expect(
            performing: { try await homeless.register("com.example.shop", name: "Shop") },
            throws: DesktopHome.code(.storageFailed)
        )
        try home.write("", as: "config")
        await #expect(
            performing: {
                try await home.handlers.register("com.example.shop", name: "Shop", program: "/bin/true")
            },
            throws: DesktopHome.code(.storageFailed)
        )
    }
}
