'use strict';
const $=(s,e)=>[...(e||document).querySelectorAll(s)],$1=i=>document.getElementById(i);
for(const f of $('.js'))f.hidden=false;
const late=f=>{let t;return()=>{clearTimeout(t);t=setTimeout(f,120)}};
const cases=$('.case'),heads=$('#cases h3'),text=new Map();
function words(c){
 if(!text.has(c))text.set(c,(c.firstElementChild.textContent+' '+$('a[href^="#r-"]',c).map(a=>a.textContent).join(' ')).toLowerCase());
 return text.get(c);
}
function filter(){
 const q=$1('cs').value.toLowerCase().split(/\s+/).filter(Boolean),v=new Set($('#cf input[type=checkbox]:checked').map(b=>b.value));
 let n=0;const left=new Set;
 for(const c of cases){
  const show=(!v.size||v.has(c.dataset.v))&&q.every(w=>words(c).includes(w));
  c.hidden=!show;n+=show;if(show)left.add(c.parentElement);
 }
 for(const h of heads)h.hidden=!left.has(h.parentElement);
 $1('co').textContent=n+' of '+cases.length+' cases';
}
function matrix(){
 const q=$1('rs').value.toLowerCase(),v=$1('rv').value,rows=$('#rt tbody tr');let n=0;
 for(const r of rows){const show=(!v||r.dataset.v===v)&&(!q||r.textContent.toLowerCase().includes(q));r.hidden=!show;n+=show}
 $1('ro').textContent=n+' of '+rows.length+' requirements';
}
for(const f of $('form'))f.addEventListener('submit',e=>e.preventDefault());
$1('cf').addEventListener('input',late(filter));
$1('rs').addEventListener('input',late(matrix));$1('rv').addEventListener('input',matrix);
$1('open').addEventListener('click',()=>{for(const c of cases)if(!c.hidden&&!['pass'].includes(c.dataset.v))c.open=true});
$1('close').addEventListener('click',()=>{for(const c of cases)c.open=false});
function unfold(){
 let e=location.hash.length>1?$1(decodeURIComponent(location.hash.slice(1))):null;
 if(!e)return;
 if(e.hidden)e.hidden=false;
 for(let p=e;p;p=p.parentElement)if(p.tagName==='DETAILS')p.open=true;
 e.scrollIntoView({block:'start'});
}
addEventListener('hashchange',unfold);unfold();
addEventListener('beforeprint',()=>{for(const c of cases)if(c.dataset.v!=='pass'&&!c.hidden)c.open=true});
function bits(b,at,n){let v=0n;for(let i=at;i<at+n;i++)v=v<<1n|BigInt(b[i>>3]>>(7-(i&7))&1);return v}
function field(b,f){
 const [,at,w,low]=f;if(!low)return bits(b,at,w);
 const h=w/2;return bits(b,at+h,h)<<BigInt(h)|bits(b,at,h);
}
function decode(hex){
 const b=(hex.match(/../g)||[]).map(h=>parseInt(h,16));if(b.length<8)return null;
 for(const k in L){
  const t=L[k][1].find(f=>f[0]==='packet_type');
  if(bits(b,t[1],t[2])===BigInt(k))return L[k];
 }
 return null;
}
function show(a){
 const row=$1(a.getAttribute('href').slice(1)),cells=$('td',row),hex=cells[3].textContent.trim(),l=decode(hex),o=$('.o',a.closest('figure'))[0];
 const b=(hex.match(/../g)||[]).map(h=>parseInt(h,16)),t=document.createElement('table');
 const cap=t.createCaption();cap.textContent=cells[0].textContent+' '+cells[1].textContent+': '+cells[2].textContent;
 if(l)for(const f of l[1]){
  if(f[1]+f[2]>b.length*8)break;
  const v=field(b,f),r=t.insertRow(),name=f[4][v];
  for(const x of [f[0],name?name:v<10n?String(v):v+' = 0x'+v.toString(16),'bits '+f[1]+'…'+(f[1]+f[2]-1)])r.insertCell().textContent=x;
 }
 o.replaceChildren(t);o.scrollIntoView({block:'nearest'});
}
document.addEventListener('click',e=>{const a=e.target.closest&&e.target.closest('a.k');if(a){e.preventDefault();show(a)}});
let same=[];
document.addEventListener('mouseover',e=>{
 const g=e.target.closest&&e.target.closest('[data-p]'),f=g&&g.closest('figure');
 for(const x of same)x.classList.remove('hp');
 same=f?$('[data-p="'+g.dataset.p+'"]',f):[];
 for(const x of same)x.classList.add('hp');
});
filter();matrix();
