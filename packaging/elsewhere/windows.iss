; Inno Setup: the frozen folder as an installer for one person on Windows, without administrator.
; Never tried. The program itself does not start on Windows yet: it locks files with fcntl.
;   iscc /DVersion=0.1.0 packaging\elsewhere\windows.iss     after freezing into dist\benchseal
[Setup]
AppId=org.benchseal.Benchseal
AppName=Benchseal
AppVersion={#Version}
DefaultDirName={autopf}\Benchseal
PrivilegesRequired=lowest
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
ChangesEnvironment=yes
LicenseFile=..\..\LICENSE
SourceDir=..\..\dist
OutputDir=.
OutputBaseFilename=benchseal-{#Version}-windows-x86_64
Compression=lzma2/max
SolidCompression=yes

[Files]
Source: "benchseal\*"; DestDir: "{app}"; Flags: recursesubdirs ignoreversion

[Icons]
Name: "{autoprograms}\Benchseal"; Filename: "{app}\benchseal.exe"; Parameters: "gui"

[Registry]
Root: HKCU; Subkey: "Software\Classes\Applications\benchseal.exe\shell\open\command"; ValueType: string; ValueData: """{app}\benchseal.exe"" gui ""%1"""; Flags: uninsdeletekey
